interface Entry {
  version?: string;
  optional?: true;
  link?: true;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  engines?: unknown;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

type Packages = Record<string, Entry>;

export const LOCK_FILES = [
  'package-lock.json',
  'packages/sdk/test/runtimes/programs/package-lock.json',
  'docs/site/package-lock.json',
  'packages/server/test/tools/programs/package-lock.json',
  'integrations/n8n-nodes-foreword/package-lock.json',
];
const SYSTEMS = ['darwin', 'linux', 'win32', 'android', 'freebsd', 'openbsd', 'netbsd', 'openharmony', 'sunos', 'aix'];
// Longest names first, so that "arm64" does not match "arm".
const PROCESSORS = ['mips64el', 'riscv64', 'loong64', 'wasm32', 'arm64', 'ppc64', 's390x', 'ia32', 'x64', 'arm'];
/**
 * We use no WebRTC, lock uploads in the database instead of in Redis, and resize no pictures of the docs. The one file that we
 * copy of the API reference contains all that it needs. Only the runtime Bare needs `bare-*`. `serialize-error` has a
 * dependency only for its types. The tests of the n8n nodes run n8n's engine without its cloud storage, error reports and
 * isolated expressions. Vite has a package for the time of its start on Windows.
 */
const UNUSED: Record<string, string[] | 'all'> = {
  'node_modules/node-av': ['werift'],
  'node_modules/@tus/server': ['@redis/client', 'ioredis'],
  'node_modules/@scalar/api-reference': 'all',
  'node_modules/vite': ['napi-windows-process-start-time'],
  'node_modules/tar-stream': ['bare-fs'],
  'node_modules/events-universal': ['bare-events'],
  'node_modules/serialize-error': ['type-fest'],
  'node_modules/astro': ['sharp'],
  'node_modules/@n8n/blob-storage': ['@aws-sdk/client-s3', '@azure/identity', '@azure/storage-blob'],
  'node_modules/@n8n/errors': ['@sentry/node'],
  'node_modules/@n8n/expression-runtime': ['isolated-vm', 'quickjs-emscripten'],
  'node_modules/n8n-core': ['@sentry/core', '@sentry/node', '@sentry/node-native', '@sentry/profiling-node'],
  'node_modules/n8n-workflow': ['@codemirror/autocomplete', '@sentry/node'],
};

function platformOf(name: string): Pick<Entry, 'os' | 'cpu' | 'libc'> | null {
  const system = name.includes('windows') ? 'win32' : SYSTEMS.find((word) => name.includes(word));
  const processor = PROCESSORS.find((word) => name.includes(word));
  if (processor === undefined || (system === undefined && processor !== 'wasm32')) return null;
  const libc = name.includes('musl') ? 'musl' : 'glibc';
  return {
    cpu: [processor],
    ...(system === 'linux' && /musl|gnu/.test(name) && { libc: [libc] }),
    ...(system !== undefined && { os: [system] }),
  };
}

function addPlatforms(packages: Packages): void {
  for (const [place, entry] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      const found = `node_modules/${name}`;
      const platform = platformOf(name.split('/').at(-1) ?? '');
      if (packages[found] || packages[`${place}/${found}`] || platform === null) continue;
      packages[found] = { version, optional: true, ...platform };
    }
  }
}

/** The place of a dependency: npm looks in the `node_modules` of each folder upwards. */
function resolve(packages: Packages, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.replace(/(^|\/)node_modules\/(?:@[^/]+\/)?[^/]+$|^packages\/[^/]+$/, '')) {
    const place = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (packages[place] !== undefined) return place;
    if (folder === '') return undefined;
  }
}

function removeUnused(packages: Packages): void {
  for (const [place, names] of Object.entries(UNUSED)) {
    for (const dependencies of [packages[place]?.dependencies, packages[place]?.optionalDependencies])
      for (const name of names === 'all' ? Object.keys(dependencies ?? {}) : names) delete dependencies?.[name];
  }
  const needed = new Set(Object.keys(packages).filter((place) => !place.includes('node_modules/')));
  for (const place of needed) {
    const { dependencies, optionalDependencies, devDependencies, peerDependencies } = packages[place] ?? {};
    const names = { ...dependencies, ...optionalDependencies, ...devDependencies, ...peerDependencies };
    for (const name of Object.keys(names)) {
      const found = resolve(packages, place, name);
      if (found !== undefined) needed.add(found);
    }
  }
  for (const [place, { link }] of Object.entries(packages)) if (!needed.has(place) && !link) delete packages[place];
}

/**
 * Edits a lock file in three ways that `npm install` cannot:
 *
 * 1. Adds the packages of other platforms. `npm install` leaves out those that a registry lacks, and `npm ci` then rejects
 *    the lock file. The platform comes from the name, so npm skips them here and installs them where they fit.
 * 2. Removes packages that we never load.
 * 3. Removes `engines` of packages. npm 10 and 11 compare them with the Node that runs npm and print about twenty warnings
 *    on Node 20, but our code runs with the Node that is installed with it. No setting of npm silences only these.
 */
export function completeLock(text: string): string {
  const lock = JSON.parse(text) as { packages: Packages };
  addPlatforms(lock.packages);
  removeUnused(lock.packages);
  for (const [place, entry] of Object.entries(lock.packages)) if (place.includes('node_modules/')) delete entry.engines;
  lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
  return `${JSON.stringify(lock, null, 2)}\n`;
}
