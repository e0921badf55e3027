import { defineConfig } from 'vitest/config';

// Apart from `npm test`: these need Debian's Chromium, which the npm registry cannot supply.
export default defineConfig({
  test: {
    include: ['packages/server/test/browser/**/*.test.ts', 'packages/web/test/{engine,recorder,console}/**/*.test.ts'],
    globalSetup: ['packages/server/test/harness/global-setup.ts'],
    maxWorkers: 1,
    // The usual second is too short for a browser, an encoder and a service on two cores.
    expect: { poll: { timeout: 15_000 } },
    // A fake camera, two browsers and an encoder share them too: what fails twice is broken, and both tries are reported.
    retry: 1,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
