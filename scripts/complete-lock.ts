/**
 * Run this after each change of dependencies. If a registry lacks an optional package of another platform, `npm install`
 * leaves it out of package-lock.json, and `npm ci` then rejects the lock file. This adds those entries, with the platform
 * from their names, so that npm skips them here and installs them where they fit.
 */
import fs from 'node:fs';

interface Entry {
  version?: string;
  optional?: true;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
}

const LOCK = 'package-lock.json';
const SYSTEMS = ['darwin', 'linux', 'win32', 'android', 'freebsd', 'openbsd', 'netbsd', 'openharmony', 'sunos', 'aix'];
// Longest names first, so that "arm64" does not match "arm".
const PROCESSORS = ['mips64el', 'riscv64', 'loong64', 'wasm32', 'arm64', 'ppc64', 's390x', 'ia32', 'x64', 'arm'];

function platformOf(name: string): Pick<Entry, 'os' | 'cpu' | 'libc'> | null {
  const system = SYSTEMS.find((word) => name.includes(word));
  const processor = PROCESSORS.find((word) => name.includes(word));
  if (processor === undefined || (system === undefined && processor !== 'wasm32')) return null;
  const libc = name.includes('musl') ? 'musl' : 'glibc';
  return {
    cpu: [processor],
    ...(system === 'linux' && /musl|gnu/.test(name) && { libc: [libc] }),
    ...(system !== undefined && { os: [system] }),
  };
}

const lock = JSON.parse(fs.readFileSync(LOCK, 'utf8')) as { packages: Record<string, Entry> };
const added: string[] = [];
for (const [place, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const path = `node_modules/${name}`;
    const platform = platformOf(name.split('/').at(-1) ?? '');
    if (lock.packages[path] || lock.packages[`${place}/${path}`] || platform === null) continue;
    lock.packages[path] = { version, optional: true, ...platform };
    added.push(`${name}@${version}`);
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
fs.writeFileSync(LOCK, `${JSON.stringify(lock, null, 2)}\n`);
process.stdout.write(`${added.length} platform packages written into ${LOCK}\n`);
