import { defineConfig } from 'vitest/config';

// Separate from `npm test`: these need Debian's php-cli, ruby and python3.
export default defineConfig({
  test: {
    include: ['packages/server/test/guides/*.test.ts'],
    globalSetup: ['packages/server/test/harness/global-setup.ts'],
    maxWorkers: 2,
    // Pages and languages run at the same time, and some record videos.
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
});
