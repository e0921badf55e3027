import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { findPackageJSON } from 'node:module';
import path from 'node:path';
import type { Rolldown } from 'vite';

/** One page's built files, as names within the folder. */
export interface BuiltEntry {
  script: string;
  style: string;
  /** What the script imports before it can run, so that the page can ask for all of it at once. */
  preload: string[];
}

export interface WebBuild {
  /** Where the files lie. Their names hold a hash of what is in them, so that they may be cached for ever. */
  folder: string;
  entries: Record<string, BuiltEntry>;
}

interface Entry {
  name: string;
  /** Whose JSX it is written in. */
  jsx: string;
  main: string;
  /** One file is right for what one screen needs; a page that most people never open is fetched when it is opened. */
  split: boolean;
}

interface Manifest {
  entries: WebBuild['entries'];
  /** All of them, with the pages that only an import names. */
  files: string[];
}

const ROOT = import.meta.dirname;
const DIST = path.join(ROOT, 'dist');
const MANIFEST = 'manifest.json';
const ENTRIES: Entry[] = [
  { name: 'recorder', jsx: 'preact', main: 'recorder/main.tsx', split: false },
  { name: 'console', jsx: 'react', main: 'console/main.tsx', split: true },
];
// The rest of the contract is imported as types only, so it cannot change the output.
const SOURCES = [
  'build.ts',
  'package.json',
  'kit',
  '../contract/src/plain',
  ...ENTRIES.map(({ main }) => path.dirname(main)),
];
/** Builds that are kept beside the newest: a server that has not been restarted yet still serves the one before. */
const KEPT_BUILDS = 2;
/** A build takes seconds; what an hour left behind belonged to a process that died. */
const ABANDONED_MS = 3_600_000;
const TEMPORARY = '.building-';

function listFiles(source: string): string[] {
  if (!fs.statSync(source).isDirectory()) return [source];
  return fs
    .readdirSync(source)
    .sort()
    .flatMap((name) => listFiles(path.join(source, name)));
}

/** The versions as installed: the lock may say another, and an image may leave the lock out. */
function listTools(): string[] {
  const { dependencies } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  return Object.keys(dependencies).map((name) => {
    const file = findPackageJSON(name, import.meta.url);
    if (file === undefined) throw new Error(`${name} is not installed. Run: npm ci`);
    return `${name}@${(JSON.parse(fs.readFileSync(file, 'utf8')) as { version: string }).version}`;
  });
}

function hashInputs(): string {
  const hash = createHash('sha256').update(listTools().join('\n'));
  for (const file of SOURCES.flatMap((source) => listFiles(path.join(ROOT, source)))) {
    const content = fs.readFileSync(file);
    hash.update(`\n${path.relative(ROOT, file)} ${content.length}\n`).update(content);
  }
  return hash.digest('hex').slice(0, 16);
}

/** A build is in its place whole or not at all; still, a file that somebody removed means: build again. */
function readBuild(folder: string): WebBuild | null {
  try {
    const { entries, files } = JSON.parse(fs.readFileSync(path.join(folder, MANIFEST), 'utf8')) as Manifest;
    return files.every((file) => fs.existsSync(path.join(folder, file))) ? { folder, entries } : null;
  } catch {
    return null;
  }
}

/** All that an entry imports, and what that imports, but nothing that is only imported when a page is opened. */
function listImports(chunks: Rolldown.OutputChunk[], entry: Rolldown.OutputChunk): string[] {
  const found = new Set<string>();
  const visit = ({ imports }: Rolldown.OutputChunk): void => {
    for (const name of imports) {
      const chunk = chunks.find(({ fileName }) => fileName === name);
      if (chunk === undefined || found.has(name)) continue;
      found.add(name);
      visit(chunk);
    }
  };
  visit(entry);
  return [...found].sort();
}

async function bundle({ name, jsx, main, split }: Entry, folder: string): Promise<BuiltEntry> {
  // Imported here: most starts find everything built, and loading it takes longer than all the rest.
  const { build } = await import('vite');
  const built = (await build({
    configFile: false,
    root: ROOT,
    // Where the server gives out what is built.
    base: '/assets/',
    logLevel: 'warn',
    publicDir: false,
    // Said here because Vite would take it from NODE_ENV, and a test or a developer may have set that to something else.
    define: { 'process.env.NODE_ENV': '"production"' },
    resolve: { conditions: ['module', 'browser', 'production'] },
    oxc: { jsx: { runtime: 'automatic', importSource: jsx, development: false } },
    build: {
      outDir: folder,
      assetsDir: '',
      emptyOutDir: false,
      target: ['es2022', 'safari15.4', 'chrome100', 'firefox100'],
      modulePreload: split && { polyfill: false },
      // One style sheet: a page that is opened later never stands there without its style.
      cssCodeSplit: false,
      reportCompressedSize: false,
      rolldownOptions: {
        input: { [name]: path.join(ROOT, main) },
        // "use client" is meant for those who draw on the server.
        onLog: (level, log, report) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && report(level, log),
        output: {
          entryFileNames: '[name]-[hash].js',
          chunkFileNames: `${name}-[name]-[hash].js`,
          assetFileNames: `${name}-[hash][extname]`,
          ...(!split && { codeSplitting: false }),
        },
      },
    },
  })) as Rolldown.RolldownOutput;
  const chunks = built.output.filter((file) => file.type === 'chunk');
  const entry = chunks.find(({ isEntry }) => isEntry);
  const style = built.output.find(({ fileName }) => fileName.endsWith('.css'))?.fileName;
  if (entry === undefined || style === undefined) throw new Error(`building ${name} gave no script or no style sheet`);
  return { script: entry.fileName, style, preload: listImports(chunks, entry) };
}

/** Ours goes to its place by one rename; when another process was first, its equal build stays and ours goes. */
function publish(temporary: string, target: string): void {
  try {
    fs.renameSync(temporary, target);
  } catch (error) {
    if (readBuild(target) === null) throw error;
    fs.rmSync(temporary, { recursive: true, force: true });
  }
}

function prune(dist: string, current: string): void {
  const aged = fs.readdirSync(dist).flatMap((name) => {
    const folder = path.join(dist, name);
    // Another process may be removing the same one.
    const stat = fs.statSync(folder, { throwIfNoEntry: false });
    return stat === undefined || folder === current
      ? []
      : [{ name, folder, ageMs: performance.timeOrigin - stat.mtimeMs }];
  });
  const abandoned = aged.filter(({ name, ageMs }) => name.startsWith(TEMPORARY) && ageMs > ABANDONED_MS);
  const older = aged.filter(({ name }) => !name.startsWith(TEMPORARY)).sort((a, b) => a.ageMs - b.ageMs);
  for (const { folder } of [...abandoned, ...older.slice(KEPT_BUILDS)]) {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** Builds what the browser gets, unless exactly these inputs are built already. Any number of processes may ask at once. */
export async function buildWeb(dist = DIST): Promise<WebBuild> {
  const target = path.join(dist, hashInputs());
  const standing = readBuild(target);
  if (standing !== null) return standing;
  fs.mkdirSync(dist, { recursive: true });
  // Not whole, so of no use to anybody, and in the way of the rename.
  fs.rmSync(target, { recursive: true, force: true });
  const temporary = fs.mkdtempSync(path.join(dist, TEMPORARY));
  // Such folders are made for their owner alone; a service may run as another user than the one who built.
  fs.chmodSync(temporary, 0o755);
  try {
    const entries: WebBuild['entries'] = {};
    for (const entry of ENTRIES) entries[entry.name] = await bundle(entry, temporary);
    const manifest: Manifest = { entries, files: fs.readdirSync(temporary).sort() };
    fs.writeFileSync(path.join(temporary, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
    publish(temporary, target);
  } catch (error) {
    fs.rmSync(temporary, { recursive: true, force: true });
    throw error;
  }
  prune(dist, target);
  const built = readBuild(target);
  if (built === null) throw new Error(`${target} was removed while it was being built`);
  return built;
}

if (import.meta.main) {
  const startedMs = performance.now();
  const { folder } = await buildWeb(process.argv[2]);
  process.stdout.write(`${path.relative(process.cwd(), folder)} in ${Math.round(performance.now() - startedMs)} ms\n`);
}
