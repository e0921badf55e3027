import path from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

const SERVER = 'packages/server/test';
/** Files of a process share a service and browsers. */
const SHARED = { isolate: false, provide: { sharedServices: true } };
/** The tests of the server without a browser. Files of one worker share its process and its loaded packages. */
const server: TestProjectInlineConfiguration['test'] = {
  ...{ maxWorkers: 2, isolate: false, setupFiles: [`${SERVER}/harness/reset-modules.ts`] },
  // Fewer garbage collections, as in the service (platform/process.ts).
  execArgv: ['--max-semi-space-size=16'],
  // Programs that tests start share one cache of compiled TypeScript.
  env: { NODE_COMPILE_CACHE: path.join(import.meta.dirname, 'node_modules/.cache/foreword') },
};

/** These mostly wait for a restart, a fault or a download. Two workers would leave a third of two cores idle. */
const WAITING = { maxWorkers: 3 };

/** Suites of one part of the tree. They install or build something, or need Debian's programs. */
const PARTS: Record<string, { include: string[]; setup?: string; options?: TestProjectInlineConfiguration['test'] }> = {
  docs: { include: [`${SERVER}/docs/*.test.ts`], setup: `${SERVER}/docs/build.ts`, options: { maxWorkers: 2 } },
  guides: { include: [`${SERVER}/guides/*.test.ts`], options: { maxWorkers: 2, testTimeout: 240_000 } },
  environments: { include: [`${SERVER}/environments/*.test.ts`], options: { ...WAITING, hookTimeout: 600_000 } },
  recipes: {
    include: ['integrations/test/*.test.ts'],
    setup: 'integrations/test/build.ts',
    options: { maxWorkers: 2, ...SHARED, setupFiles: [`${SERVER}/harness/reset-modules.ts`] },
  },
  tools: {
    include: [`${SERVER}/tools/*.test.ts`, 'packages/sdk/test/runtimes/*.test.ts'],
    setup: `${SERVER}/tools/install.ts`,
    options: { maxWorkers: 2 },
  },
  n8n: {
    include: ['integrations/n8n-nodes-foreword/test/*.test.ts'],
    setup: 'integrations/n8n-nodes-foreword/test/install.ts',
    // n8n takes seconds to load, so all files of a worker share it.
    options: { maxWorkers: 2, ...SHARED },
  },
  s3: { include: [`${SERVER}/s3/*.test.ts`] },
  'embedded-postgres': {
    include: [`${SERVER}/platform/embedded-postgres*.slow.test.ts`, `${SERVER}/backup/*.slow.test.ts`],
    options: server,
  },
  media: { include: [`${SERVER}/{media,recordings}/*.slow.test.ts`], options: server },
  cluster: { include: [`${SERVER}/cluster/*.test.ts`], options: { testTimeout: 300_000, hookTimeout: 300_000 } },
};
const BROWSER = [`${SERVER}/browser/**/*.test.ts`, 'packages/web/test/{engine,recorder,console}/**/*.test.ts'];
/** Other engines. */
const OTHER_BROWSERS = [`${SERVER}/browser/{firefox,webkit}.test.ts`];
const MEDIA = [`${SERVER}/media/*.test.ts`];
const ACCEPTANCE = `${SERVER}/acceptance`;
const OTHERS = [
  '**/node_modules/**',
  ...BROWSER,
  ...Object.values(PARTS).flatMap(({ include }) => include),
  `${ACCEPTANCE}/**`,
];

let order = 0;
/** Projects run one after another, because they have different numbers of workers. */
function project(
  name: string,
  include: string[],
  options: TestProjectInlineConfiguration['test'] = {},
): TestProjectInlineConfiguration {
  order += 1;
  return {
    test: {
      ...{ name, include, sequence: { groupOrder: order } },
      globalSetup: [`${SERVER}/harness/global-setup.ts`],
      maxWorkers: 1,
      // Conditions, not measurements: long enough for a busy machine with two cores.
      expect: { poll: { timeout: 30_000 } },
      ...{ testTimeout: 120_000, hookTimeout: 180_000 },
      ...options,
    },
  };
}

/**
 * `unit` and `acceptance` are `npm test`. A file `*.slow.test.ts` belongs to `slow`: kill loops, real waits, video and pictures, and
 * tests that need a service with its own settings. The acceptance tests run in the configuration that FOREWORD_TEST_DATABASE and
 * FOREWORD_TEST_NODES choose.
 */
export default defineConfig({
  test: {
    projects: [
      project('unit', ['packages/*/test/**/*.test.ts', 'scripts/test/*.test.ts'], {
        ...server,
        exclude: ['**/*.slow.test.ts', ...OTHERS],
        provide: { sharedServices: true },
      }),
      project('acceptance', [`${ACCEPTANCE}/*.test.ts`], {
        ...server,
        exclude: ['**/*.slow.test.ts'],
        provide: { sharedServices: true },
      }),
      project('slow', ['packages/*/test/**/*.slow.test.ts'], { ...server, ...WAITING, exclude: OTHERS }),
      project('acceptance-slow', [`${ACCEPTANCE}/*.slow.test.ts`], { ...server, ...WAITING }),
      project('browser', BROWSER, {
        ...{ exclude: OTHER_BROWSERS, maxWorkers: 2, ...SHARED },
        // Pages are rendered without a graphics card. More of them at a time would only make each one slower.
        maxConcurrency: 3,
      }),
      project('other-browsers', OTHER_BROWSERS),
      // With Debian's ffmpeg instead of the library from npm.
      project('ffmpeg', MEDIA, { ...server, provide: { encoder: 'ffmpeg' } }),
      ...Object.entries(PARTS).map(([name, { include, setup, options }]) =>
        project(name, include, {
          ...options,
          globalSetup: [...(setup === undefined ? [] : [setup]), `${SERVER}/harness/global-setup.ts`],
        }),
      ),
    ],
  },
});
