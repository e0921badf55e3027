import { defineConfig } from 'vitest/config';

// Separate from `npm test`: these need Debian's Patroni, etcd, HAProxy, PgBouncer, nginx and Ceph.
export default defineConfig({
  test: {
    include: ['packages/server/test/cluster/**/*.test.ts'],
    globalSetup: ['packages/server/test/harness/global-setup.ts'],
    // One cluster has twenty processes.
    maxWorkers: 1,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
