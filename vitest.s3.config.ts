import { defineConfig } from 'vitest/config';

// Separate from `npm test`: these need Debian's Ceph, a real S3 server, which is not in the npm registry.
export default defineConfig({
  test: {
    include: ['packages/*/test/s3/**/*.test.ts'],
    globalSetup: ['packages/server/test/harness/global-setup.ts'],
    maxWorkers: 1,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
