// Import rules. Fix a violation in the code, or record a decision that changes a rule.

const SERVER = '^packages/server/src';
/** The rooms of the product, and `http`. */
const ROOMS =
  'http|organizations|members|touchpoints|intros|recordings|pages|delivery|webhooks|privacy|console|testing';
/** Parts of rooms with an index.ts of their own: through that of the room, rooms that need each other's parts would form a cycle. */
const PARTS =
  'http/access|http/idempotency|http/mcp|intros/events|intros/links|intros/traces|members/team|organizations/link-domains|privacy/[a-z]+|testing/[a-z]+';
const MODULES = `(${PARTS}|${ROOMS})`;
/** The platform files that pure rules may import: they neither read nor write anything. */
const PURE_PLATFORM = `${SERVER}/platform/(bounded-map|client-address|clock|countries|errors|ids|instants)\\.ts$`;

const forbid = (name, comment, from, to) => ({ name, severity: 'error', comment, from, to });

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    forbid('no-cycle', 'Files that import each other belong in one file, or share a third.', {}, { circular: true }),
    forbid(
      'no-orphan',
      'A file without any imports or importers is unused.',
      { orphan: true, path: '^(packages|scripts|bench)/' },
      {},
    ),
    forbid('resolvable', 'Every import resolves.', {}, { couldNotResolve: true }),
    forbid(
      'contract-alone',
      'Every package imports the contract, so it imports none of them.',
      { path: '^packages/contract/' },
      { path: '^packages/(?!contract/)|^(scripts|bench)/' },
    ),
    forbid(
      'platform-below',
      "Platform has no product terms. It imports only the contract, and the SDK's reader of phone numbers.",
      { path: `${SERVER}/platform/` },
      {
        path: '^packages/|^(scripts|bench)/',
        pathNot: `^packages/contract/src/index\\.ts$|^packages/sdk/src/phone\\.ts$|${SERVER}/platform/|node_modules/`,
      },
    ),
    forbid(
      'db-below-modules',
      'The tables are described without the modules. db imports only platform and the contract.',
      { path: `${SERVER}/db/` },
      {
        path: '^packages/|^(scripts|bench)/',
        pathNot: `^packages/contract/src/index\\.ts$|${SERVER}/(db|platform)/|node_modules/`,
      },
    ),
    forbid(
      'module-needs',
      'A module imports platform, db, contract and other modules, but not the wiring: only the types of what it is given.',
      { path: `${SERVER}/${MODULES}/` },
      {
        path: '^packages/|^(scripts|bench)/',
        pathNot: `^packages/contract/src/index\\.ts$|^packages/web/build\\.ts$|${SERVER}/((db|platform|${ROOMS})/|app/services\\.ts$)|node_modules/`,
      },
    ),
    forbid(
      'module-face',
      'Other modules import only the index.ts of a module.',
      { path: `${SERVER}/${MODULES}/` },
      {
        path: `${SERVER}/${MODULES}/`,
        pathNot: [`${SERVER}/$1/`, `${SERVER}/${MODULES}/index\\.ts$`, `${SERVER}/http/docs/`],
      },
    ),
    forbid(
      'module-face-from-outside',
      'Code outside of the modules imports only their index.ts. The wiring registers the routes of http one by one.',
      { path: `${SERVER}/`, pathNot: `${SERVER}/${MODULES}/` },
      {
        path: `${SERVER}/${MODULES}/`,
        pathNot: [`${SERVER}/${MODULES}/index\\.ts$`, `${SERVER}/http/[^/]+\\.ts$|${SERVER}/http/docs/`],
      },
    ),
    forbid(
      'rules-are-pure',
      'Rules depend only on values.',
      { path: `${SERVER}/[a-z/-]+/rules\\.ts$` },
      { path: '^packages/', pathNot: [`^packages/contract/src/index\\.ts$`, PURE_PLATFORM] },
    ),
    forbid(
      'rules-do-nothing',
      'Rules do no input or output: no files, network, processes or database.',
      { path: `${SERVER}/[a-z/-]+/rules\\.ts$` },
      {
        path: '^(node:)?(fs|net|http|https|child_process|worker_threads|timers)(/|$)|node_modules/(pg|kysely|fastify)/',
      },
    ),
    forbid(
      'contract-face',
      'The contract is imported through its two index.ts files; browsers also import single files of the plain part.',
      { pathNot: '^packages/(contract|web)/' },
      { path: '^packages/contract/', pathNot: '^packages/contract/src/(plain/)?index\\.ts$' },
    ),
    forbid(
      'sdk-alone',
      'The SDK runs without the rest: it imports nothing, not even of Node.',
      { path: '^packages/sdk/src/' },
      { pathNot: '^packages/sdk/src/' },
    ),
    forbid(
      'service-without-sdk',
      'The service does not call itself through the SDK. It only shares its reader of phone numbers.',
      { path: '^packages/(server|contract|web)/', pathNot: '^packages/server/test/' },
      { path: '^packages/sdk/', pathNot: '^packages/sdk/src/phone\\.ts$' },
    ),
    forbid(
      'web-without-schemas',
      'Browsers get the plain part of the contract; everything else is imported as types only.',
      { path: '^packages/web/' },
      { path: '^packages/contract/', pathNot: '^packages/contract/src/plain/', dependencyTypesNot: ['type-only'] },
    ),
    forbid(
      'plain-without-schemas',
      'The plain part of the contract is bundled for browsers, so it imports nothing outside itself.',
      { path: '^packages/contract/src/plain/' },
      { pathNot: '^packages/contract/src/plain/' },
    ),
    forbid(
      'web-stands-alone',
      'Browser code imports no server code, and the recorder and the console do not import each other.',
      { path: '^packages/web/(recorder|console)/' },
      { path: '^packages/server/|^packages/web/(recorder|console|test)/', pathNot: '^packages/web/$1/' },
    ),
    forbid(
      'compose-at-the-edge',
      'Only the entry points import the wiring.',
      { pathNot: `${SERVER}/(app/(serve\\.ts|compose/)|cli/)|^packages/server/test/harness/` },
      { path: `${SERVER}/app/compose/` },
    ),
    forbid(
      'edge-is-last',
      'Nothing imports the entry points.',
      // Checks of the doctor are tested directly where they query a carrier or depend on an installed version, and so are the
      // widths of tables and the archive of a backup. The command server of the tests runs many command lines in one process, and another program of theirs
      // the service, with a shorter time limit.
      {
        pathNot: `${SERVER}/(cli/|main\\.ts|app/start\\.ts)|^packages/server/bin/|^packages/server/test/((delivery|cli)/doctor|backup/archive|cli/usage|harness/(command-server|started-with-options)\\.child)`,
      },
      { path: `${SERVER}/(main\\.ts|app/(start|serve)\\.ts|cli/)` },
    ),
    forbid(
      'acceptance-is-black-box',
      'Acceptance tests are black-box: they import nothing of the server.',
      { path: '^packages/server/test/acceptance/' },
      { path: `${SERVER}/` },
    ),
    forbid(
      'recipe-needs',
      'A recipe imports the bridge, and both import only the public entry of the SDK and Node. Each becomes one file.',
      { path: '^integrations/', pathNot: '^integrations/(test/|build\\.ts$)' },
      {
        path: '.',
        pathNot: [
          '^packages/sdk/src/index\\.ts$',
          '^integrations/[a-z0-9-]+/[a-z0-9-]+\\.ts$',
          '^(node:)?(crypto|fs|http|net|timers/promises)$',
        ],
      },
    ),
    forbid(
      'bridge-face',
      'A recipe imports the bridge through its index.ts, and no other recipe.',
      { path: '^integrations/(?!bridge/|test/)([a-z0-9-]+)/' },
      { path: '^integrations/', pathNot: ['^integrations/bridge/index\\.ts$', '^integrations/$1/'] },
    ),
    forbid(
      'src-without-tests',
      'Production code does not import tests, benchmarks or scripts.',
      { path: '^packages/[^/]+/src/' },
      { path: '^packages/[^/]+/test/|^(scripts|bench)/' },
    ),
    forbid(
      'src-without-dev-dependencies',
      'Production code imports only production dependencies.',
      { path: '^packages/[^/]+/(src|bin)/' },
      {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['type-only', 'npm', 'npm-optional'],
      },
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // The nodes for n8n are built and tested with n8n's packages, which `npm ci` does not install, and have n8n's own linter.
    exclude: { path: '^packages/web/dist/|^integrations/n8n-nodes-foreword/' },
    // TypeScript 7 has no JavaScript API yet, so swc parses the files. Type-only imports count as well.
    parser: 'swc',
    tsPreCompilationDeps: true,
    combinedDependencies: true,
    detectProcessBuiltinModuleCalls: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['node', 'import', 'default', 'types'] },
  },
};
