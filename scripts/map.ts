/** File names with the same meaning in every module; docs/map.md explains them once. */
const STANDARD = new Set([
  'index.ts',
  'rules.ts',
  'store.ts',
  'service.ts',
  'jobs.ts',
  'present.ts',
  'routes.ts',
  'store',
]);

const SERVER = 'packages/server/src/';
/** Folders whose entries the map must list one by one. */
const LISTED = ['packages/contract/src/', SERVER, 'scripts/', 'bench/', 'packages/web/', 'packages/server/test/'];

/** The paths in a tree of the map: `name  description`, with the contents of a folder two spaces deeper. */
export function readTree(block: string): string[] {
  const paths: string[] = [];
  const folders: { indent: number; name: string }[] = [];
  for (const line of block.split('\n')) {
    const found = /^( *)(\S+(?:, \S+)*)(?: {2,}|$)/.exec(line);
    if (found === null || line.trim() === '') continue;
    const indent = found[1]?.length ?? 0;
    while ((folders.at(-1)?.indent ?? -1) >= indent) folders.pop();
    const parent = folders.map(({ name }) => name).join('');
    for (const name of (found[2] ?? '').split(', ')) {
      paths.push(parent + name);
      if (name.endsWith('/')) folders.push({ indent, name });
    }
  }
  return paths;
}

/** Compares the map with the files: nothing it names may be gone, and no entry it promises to list may be missing. */
export function checkMap(map: string, files: readonly string[]): string[] {
  const blocks = [...map.matchAll(/^```(\S*)\n([\s\S]*?)^```/gm)].filter(([, kind]) => kind === 'tree' || kind === '');
  const named = new Set(blocks.flatMap(([, , body]) => readTree(body ?? '')).map((one) => one.replace(/\/$/, '')));
  const existing = new Set<string>();
  for (const file of files) {
    const parts = file.split('/');
    for (let depth = 1; depth <= parts.length; depth += 1) existing.add(parts.slice(0, depth).join('/'));
  }
  const stale = [...named].filter((one) => !existing.has(one)).map((one) => `docs/map.md: ${one} does not exist`);
  const missing = [...existing].filter((one) => isListed(one, existing) && !named.has(one)).sort();
  return [...stale, ...missing.map((one) => `docs/map.md: ${one} is missing`)];
}

function isListed(entry: string, existing: ReadonlySet<string>): boolean {
  const name = entry.split('/').at(-1) ?? '';
  const parent = entry.slice(0, entry.length - name.length);
  if (LISTED.includes(parent)) return true;
  // An entry of a server module: packages/server/src/MODULE/ENTRY.
  const isModule = parent.startsWith(SERVER) && parent.slice(SERVER.length).split('/').length === 2;
  return isModule && !STANDARD.has(name) && existing.has(parent.slice(0, -1));
}
