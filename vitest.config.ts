import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['packages/*/test/**/*.test.ts'],
    exclude: [
      'packages/server/test/browser/**',
      'packages/web/test/{engine,recorder,console}/**',
      'packages/*/test/s3/**',
    ],
    globalSetup: ['packages/server/test/harness/global-setup.ts'],
    // Two cores: one server under test beside its PostgreSQL leaves room for one more file.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
