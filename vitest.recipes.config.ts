import { defineConfig } from 'vitest/config';

// Separate from `npm test`: these bundle the CRM recipes and run each built file as a process.
export default defineConfig({
  test: {
    include: ['integrations/test/*.test.ts'],
    globalSetup: ['integrations/test/build.ts', 'packages/server/test/harness/global-setup.ts'],
    maxWorkers: 2,
    expect: { poll: { timeout: 10_000 } },
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
