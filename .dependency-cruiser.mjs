// Who may import whom. A finding is mended in the code, or by a decision that changes this table.

const SERVER = '^packages/server/src';
const MODULES =
  '(access|organizations|members|touchpoints|events|intros|idempotency|links|recordings|pages|webhooks|delivery|console)';
/** What a pure decision may lean on in platform: values and types, nothing that reads or writes. */
const PURE_PLATFORM = `${SERVER}/platform/(errors|ids|instants|clock)\\.ts$`;

const forbid = (name, comment, from, to) => ({ name, severity: 'error', comment, from, to });

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    forbid('no-cycle', 'Files that need each other are one file, or hide a third.', {}, { circular: true }),
    forbid(
      'no-orphan',
      'A file that nothing imports and that imports nothing is left over.',
      { orphan: true, path: '^(packages|scripts|bench)/' },
      {},
    ),
    forbid('resolvable', 'Every import leads somewhere.', {}, { couldNotResolve: true }),
    forbid(
      'contract-alone',
      'The contract is what everyone shares: it knows nobody.',
      { path: '^packages/contract/' },
      { path: '^packages/(?!contract/)|^(scripts|bench)/' },
    ),
    forbid(
      'platform-below',
      'Platform has no product words: it imports the contract at most.',
      { path: `${SERVER}/platform/` },
      {
        path: '^packages/|^(scripts|bench)/',
        pathNot: `^packages/contract/src/index\\.ts$|${SERVER}/platform/|node_modules/`,
      },
    ),
    forbid(
      'module-needs',
      'A module stands on platform, contract, tables and other modules, not on what puts the modules together.',
      { path: `${SERVER}/${MODULES}/` },
      {
        path: '^packages/|^(scripts|bench)/',
        pathNot: `^packages/contract/src/index\\.ts$|^packages/web/recorder/(shell|state)\\.ts$|^packages/web/console/shell\\.ts$|^packages/web/build\\.ts$|${SERVER}/(platform|${MODULES})/|${SERVER}/(tables|tenancy)\\.ts$|node_modules/`,
      },
    ),
    forbid(
      'module-face',
      'A module shows its index.ts; the rest is its own.',
      { path: `${SERVER}/${MODULES}/` },
      { path: `${SERVER}/${MODULES}/`, pathNot: [`${SERVER}/$1/`, `${SERVER}/${MODULES}/index\\.ts$`] },
    ),
    forbid(
      'module-face-from-outside',
      'What puts the modules together knows their index.ts alone.',
      { path: `${SERVER}/`, pathNot: `${SERVER}/${MODULES}/` },
      { path: `${SERVER}/${MODULES}/`, pathNot: `${SERVER}/${MODULES}/index\\.ts$` },
    ),
    forbid(
      'rules-are-pure',
      'Rules decide from values alone.',
      { path: `${SERVER}/[a-z/-]+/rules\\.ts$` },
      { path: '^packages/', pathNot: [`^packages/contract/src/index\\.ts$`, PURE_PLATFORM] },
    ),
    forbid(
      'rules-do-nothing',
      'Rules neither read nor write: no file, network, process or database.',
      { path: `${SERVER}/[a-z/-]+/rules\\.ts$` },
      {
        path: '^(node:)?(fs|net|http|https|child_process|worker_threads|timers)(/|$)|node_modules/(pg|kysely|fastify)/',
      },
    ),
    forbid(
      'contract-face',
      'The contract is imported through its two index.ts files.',
      { pathNot: '^packages/contract/' },
      { path: '^packages/contract/', pathNot: '^packages/contract/src/(plain/)?index\\.ts$' },
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
      'What a browser runs knows no server, and neither of its two programs knows the other.',
      { path: '^packages/web/(recorder|console)/' },
      { path: '^packages/server/|^packages/web/(recorder|console|test)/', pathNot: '^packages/web/$1/' },
    ),
    forbid(
      'compose-at-the-edge',
      'One place wires the parts, and only what starts the program calls it.',
      { pathNot: `${SERVER}/(start\\.ts|cli/|compose[./])|^packages/server/test/harness/` },
      { path: `${SERVER}/compose[./]` },
    ),
    forbid(
      'edge-is-last',
      'Nobody builds on what starts the program.',
      // A check of the doctor is tested by itself: what it asks of a carrier cannot be asked from a command's test. And the
      // desk of the tests does many command lines in one process.
      {
        pathNot: `${SERVER}/(cli/|main\\.ts)|^packages/server/bin/|^packages/server/test/(delivery/doctor|harness/desk\\.child)`,
      },
      { path: `${SERVER}/((main|start)\\.ts|cli/)` },
    ),
    forbid(
      'acceptance-is-black-box',
      'Acceptance tests know the service by its answers alone.',
      { path: '^packages/server/test/acceptance/' },
      { path: `${SERVER}/` },
    ),
    forbid(
      'src-without-tests',
      'What runs for users does not lean on tests, benches or scripts.',
      { path: '^packages/[^/]+/src/' },
      { path: '^packages/[^/]+/test/|^(scripts|bench)/' },
    ),
    forbid(
      'src-without-dev-dependencies',
      'What runs for users is installed for users.',
      { path: '^packages/[^/]+/(src|bin)/' },
      {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['type-only', 'npm', 'npm-optional'],
      },
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^packages/web/dist/' },
    // TypeScript 7 has no JavaScript interface yet, so that the files are read by swc; type-only imports count as well.
    parser: 'swc',
    tsPreCompilationDeps: true,
    combinedDependencies: true,
    detectProcessBuiltinModuleCalls: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['node', 'import', 'default', 'types'] },
  },
};
