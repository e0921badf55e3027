import { defineConfig } from 'vitest/config';

// Separate from `npm test`: these install 376 MB of programs that read openapi.json.
export default defineConfig({
  test: {
    include: ['packages/server/test/tools/*.test.ts'],
    globalSetup: ['packages/server/test/tools/install.ts', 'packages/server/test/harness/global-setup.ts'],
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
