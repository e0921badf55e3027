import path from 'node:path';
import { defineConfig } from 'vitest/config';

/**
 * `*.slow.test.ts`: kill loops, real waits, video and pictures, lifecycles of the embedded database, and tests that need a service
 * with its own settings (starting one uses as much CPU time as dozens of tests). `npm test` skips these files, `npm run test:slow`
 * runs only them, and suites that run everything in a folder set `with`.
 */
const slow = process.env.FOREWORD_TEST_SLOW;
/** `nodes`: `npm run test:nodes` also runs, so `test:slow` leaves out what that one runs. */
const acceptance = process.env.FOREWORD_TEST_ACCEPTANCE;
/** Tests whose outcome does not depend on the number of nodes. `test:nodes` leaves them out. */
const SINGLE_NODE = [
  ...['dry-run', 'errors', 'event-lists', 'examples', 'intro-filters', 'intro-lists', 'key-scopes'],
  ...['languages', 'members', 'openapi', 'recorder-next', 'recording-links', 'response-headers'],
  ...['times-and-metadata', 'touchpoints'],
];
const SINGLE_NODE_SLOW = ['log', 'npm-start', 'private-addresses', 'public-url', 'shutdown'];

export default defineConfig({
  test: {
    include:
      slow === 'only'
        ? ['packages/*/test/**/*.slow.test.ts']
        : ['packages/*/test/**/*.test.ts', 'scripts/test/*.test.ts'],
    exclude: [
      ...(slow === undefined ? ['**/*.slow.test.ts'] : []),
      ...(process.env.FOREWORD_TEST_NODES === 'several'
        ? [...SINGLE_NODE, ...SINGLE_NODE_SLOW.map((name) => `${name}.slow`)].map(
            (name) => `packages/server/test/acceptance/${name}.test.ts`,
          )
        : []),
      ...(acceptance === 'nodes'
        ? [`packages/server/test/acceptance/!(${SINGLE_NODE_SLOW.join('|')}).slow.test.ts`]
        : []),
      'packages/server/test/browser/**',
      'packages/web/test/{engine,recorder,console}/**',
      'packages/*/test/s3/**',
      'packages/sdk/test/runtimes/**',
      'packages/server/test/{cluster,docs,environments,guides,tools}/**',
    ],
    globalSetup: ['packages/server/test/harness/global-setup.ts'],
    // On two cores, one service with its PostgreSQL leaves room for one more file.
    maxWorkers: 2,
    // A process per file would load the same packages each time.
    isolate: false,
    provide: { sharedServices: slow === undefined },
    setupFiles: ['packages/server/test/harness/reset-modules.ts'],
    // Fewer garbage collections, as in the service (platform/heap-flags.ts).
    execArgv: ['--max-semi-space-size=16'],
    // Programs that tests start share one cache of compiled TypeScript.
    env: { NODE_COMPILE_CACHE: path.join(import.meta.dirname, 'node_modules/.cache/foreword') },
    // The default of one second is too short next to another file on two cores. Tests of a time limit set their own.
    expect: { poll: { timeout: 10_000 } },
    // Ten times what a test takes, because other work may keep both cores busy.
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
