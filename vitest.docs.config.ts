import { defineConfig } from 'vitest/config';

// Separate from `npm test`: builds the docs site, and needs Debian's Chromium.
export default defineConfig({
  test: {
    include: ['packages/server/test/docs/*.test.ts'],
    globalSetup: ['packages/server/test/docs/build.ts', 'packages/server/test/harness/global-setup.ts'],
    maxWorkers: 1,
    expect: { poll: { timeout: 15_000 } },
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
});
