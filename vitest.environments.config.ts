import { defineConfig } from 'vitest/config';

// Separate from `npm test`: these install packages, build the image and start Debian's programs (PgBouncer, nginx, Caddy).
export default defineConfig({
  test: {
    include: ['packages/server/test/environments/**/*.test.ts'],
    globalSetup: ['packages/server/test/harness/global-setup.ts'],
    // One file at a time: installing and building use both cores.
    maxWorkers: 1,
    expect: { poll: { timeout: 15_000 } },
    testTimeout: 120_000,
    hookTimeout: 600_000,
  },
});
