import { defineConfig } from 'vitest/config';

// Separate from `npm test`: these install 376 MB of programs that read openapi.json, and 345 MB of runtimes.
export default defineConfig({
  test: {
    include: ['packages/server/test/tools/*.test.ts', 'packages/sdk/test/runtimes/*.test.ts'],
    globalSetup: ['packages/server/test/tools/install.ts', 'packages/server/test/harness/global-setup.ts'],
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
