import { defineConfig } from 'vitest/config';

// Separate from `npm test`: these need Debian's Chromium, which is not in the npm registry.
export default defineConfig({
  test: {
    include: ['packages/server/test/browser/**/*.test.ts', 'packages/web/test/{engine,recorder,console}/**/*.test.ts'],
    globalSetup: ['packages/server/test/harness/global-setup.ts'],
    maxWorkers: 1,
    // The default of one second is too short for a browser, an encoder and a service on two cores.
    expect: { poll: { timeout: 15_000 } },
    // A fake camera, two browsers and an encoder share the cores. A test that fails twice is broken; both tries are reported.
    retry: 1,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Pages are rendered without a graphics card. More of them at a time would only make each one slower.
    maxConcurrency: 3,
  },
});
