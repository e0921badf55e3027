import path from 'node:path';
import { defineConfig } from 'vitest/config';

/**
 * `*.slow.test.ts`: kill loops, real waits, video encoding, and lifecycles of the embedded database. `npm test` leaves them
 * out, `npm run test:slow` runs only them, and suites that run everything in a folder set `with`.
 */
const slow = process.env.FOREWORD_TEST_SLOW;

export default defineConfig({
  test: {
    include:
      slow === 'only'
        ? ['packages/*/test/**/*.slow.test.ts']
        : ['packages/*/test/**/*.test.ts', 'scripts/test/*.test.ts'],
    exclude: [
      ...(slow === undefined ? ['**/*.slow.test.ts'] : []),
      'packages/server/test/browser/**',
      'packages/web/test/{engine,recorder,console}/**',
      'packages/*/test/s3/**',
    ],
    globalSetup: ['packages/server/test/harness/global-setup.ts'],
    // Two cores: one server under test beside its PostgreSQL leaves room for one more file.
    maxWorkers: 2,
    // A process for each file would read the same packages again each time.
    isolate: false,
    setupFiles: ['packages/server/test/harness/reset-modules.ts'],
    // For the programs that tests start: what is read from TypeScript once serves all of them.
    env: { NODE_COMPILE_CACHE: path.join(import.meta.dirname, 'node_modules/.cache/foreword') },
    // The usual second is too short beside another file on two cores; what is promised within a time says so itself.
    expect: { poll: { timeout: 10_000 } },
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
