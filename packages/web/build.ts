/** Folder: builds the web pages when one of their inputs has changed. */

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { findPackageJSON } from 'node:module';
import path from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import type { Language } from '@foreword/contract';
import { type BuiltEntry, type Entry, ROOT } from './bundlers/entry.ts';
import { bundleWithEsbuild } from './bundlers/esbuild.ts';
import { bundleWithVite } from './bundlers/vite.ts';

export interface WebBuild {
  /** Contains the built files. Their names include a content hash, so that they can be cached permanently. */
  folder: string;
  entries: Record<string, BuiltEntry>;
}

interface Manifest {
  entries: WebBuild['entries'];
  /** All files, including pages that are only imported dynamically. */
  files: string[];
}

const DIST = path.join(ROOT, 'dist');
const MANIFEST = 'manifest.json';
/** Each has its own script, so that a member loads one language with one request. */
const RECORDER_NAMES: Record<Language, `recorder-${Language}`> = { en: 'recorder-en', es: 'recorder-es' };
const RECORDERS = Object.entries(RECORDER_NAMES).map(
  ([language, name]): Entry => ({ name, language, jsx: 'preact', main: 'recorder/main.tsx', split: false, pages: {} }),
);
const ENTRIES: Entry[] = [
  ...RECORDERS,
  {
    name: 'console',
    jsx: 'react',
    main: 'console/main.tsx',
    split: true,
    // The pages that people open from an email, a bookmark or the navigation.
    pages: {
      '/home': 'console/pages/home/index.tsx',
      '/account': 'console/pages/settings/index.tsx',
      '/overview': 'console/pages/overview/index.tsx',
      '/intros': 'console/pages/intros/list.tsx',
      '/intros/:id': 'console/pages/intros/detail.tsx',
      '/touchpoints': 'console/pages/touchpoints/list.tsx',
      '/members': 'console/pages/members/list.tsx',
      '/organization/brand': 'console/pages/brand/index.tsx',
      '/messages': 'console/pages/outbox/index.tsx',
      '/organization/activity': 'console/pages/activity/index.tsx',
      '/organization/texting': 'console/pages/settings/texting.tsx',
      '/organization/security': 'console/pages/settings/security.tsx',
      '/organization/data': 'console/pages/settings/data.tsx',
      '/developers/keys': 'console/pages/developers/keys.tsx',
      '/developers/webhooks': 'console/pages/developers/webhooks.tsx',
    },
  },
];
// The rest of the contract is imported as types only, so it cannot change the output.
const SOURCES = [
  'build.ts',
  'bundlers',
  'package.json',
  'kit',
  '../contract/src/plain',
  ...new Set(ENTRIES.map(({ main }) => path.dirname(main))),
];
/** Older builds to keep: a server that was not restarted yet still serves one of them. */
const OLD_BUILDS = 2;
/** A build takes seconds; a temporary folder this old belongs to a process that died. */
const ABANDONED_MS = 3_600_000;
const TEMPORARY = '.building-';

function listFiles(source: string): string[] {
  if (!fs.statSync(source).isDirectory()) return [source];
  return fs
    .readdirSync(source)
    .sort()
    .flatMap((name) => listFiles(path.join(source, name)));
}

function findManifest(name: string): string {
  const file = findPackageJSON(name, import.meta.url);
  if (file === undefined) throw new Error(`${name} is not installed. Run: npm ci`);
  return file;
}

/** The installed versions: the lock file may differ or be missing from an image. package.json alone decides the bundlers' versions. */
function listTools(): string[] {
  const { dependencies } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const names = Object.keys(dependencies).filter((name) => name !== 'esbuild-wasm');
  return names.map(
    (name) => `${name}@${(JSON.parse(fs.readFileSync(findManifest(name), 'utf8')) as { version: string }).version}`,
  );
}

function hashInputs(): string {
  const hash = createHash('sha256').update(listTools().join('\n'));
  for (const file of SOURCES.flatMap((source) => listFiles(path.join(ROOT, source)))) {
    const content = fs.readFileSync(file);
    hash.update(`\n${path.relative(ROOT, file)} ${content.length}\n`).update(content);
  }
  return hash.digest('hex').slice(0, 16);
}

/** A build is published atomically, but a file may have been deleted since: then null. */
function readBuild(folder: string): WebBuild | null {
  try {
    const { entries, files } = JSON.parse(fs.readFileSync(path.join(folder, MANIFEST), 'utf8')) as Manifest;
    return files.every((file) => fs.existsSync(path.join(folder, file))) ? { folder, entries } : null;
  } catch {
    return null;
  }
}

/** Publishes the build with one rename. If another process was first, keeps its identical build. */
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
    // Another process may be deleting the same folder.
    const stat = fs.statSync(folder, { throwIfNoEntry: false });
    return stat === undefined || folder === current
      ? []
      : [{ name, folder, ageMs: performance.timeOrigin - stat.mtimeMs }];
  });
  const abandoned = aged.filter(({ name, ageMs }) => name.startsWith(TEMPORARY) && ageMs > ABANDONED_MS);
  const older = aged.filter(({ name }) => !name.startsWith(TEMPORARY)).sort((a, b) => a.ageMs - b.ageMs);
  for (const { folder } of [...abandoned, ...older.slice(OLD_BUILDS)]) {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** Takes seconds, which a request could not wait for, and saves 7% compared with what a server can do in time. */
async function compressFiles(folder: string): Promise<void> {
  const names = fs.readdirSync(folder).filter((name) => /\.(js|css)$/.test(name));
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
  };
  await Promise.all(
    names.map(async (name) => {
      const file = path.join(folder, name);
      fs.writeFileSync(`${file}.br`, await promisify(brotliCompress)(fs.readFileSync(file), { params }));
    }),
  );
}

/** The library of /docs/reference, in a folder of its own: the server compresses and keeps it only once the page is opened. */
function copyApiReference(folder: string): void {
  fs.mkdirSync(folder);
  const library = path.dirname(findManifest('@scalar/api-reference'));
  fs.copyFileSync(path.join(library, 'dist/browser/standalone.js'), path.join(folder, 'scalar.js'));
}

/** Builds the web app unless a build of the same inputs exists. Safe to run in several processes at once. */
export async function buildWeb(dist = DIST): Promise<WebBuild> {
  const target = path.join(dist, hashInputs());
  const existing = readBuild(target);
  if (existing !== null) return existing;
  fs.mkdirSync(dist, { recursive: true });
  // An incomplete build is useless and would block the rename.
  fs.rmSync(target, { recursive: true, force: true });
  const temporary = fs.mkdtempSync(path.join(dist, TEMPORARY));
  // mkdtemp allows only the owner, but the service may run as another user than the build.
  fs.chmodSync(temporary, 0o755);
  try {
    const entries = (await bundleWithVite(ENTRIES, temporary)) ?? (await bundleWithEsbuild(ENTRIES, temporary));
    await compressFiles(temporary);
    copyApiReference(path.join(temporary, 'reference'));
    // Every copy of the typeface comes with its license.
    fs.copyFileSync(path.join(ROOT, 'kit/fonts/OFL.txt'), path.join(temporary, 'figtree-OFL.txt'));
    const manifest: Manifest = { entries, files: fs.readdirSync(temporary).sort() };
    fs.writeFileSync(path.join(temporary, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
    publish(temporary, target);
  } catch (error) {
    fs.rmSync(temporary, { recursive: true, force: true });
    throw error;
  }
  prune(dist, target);
  const built = readBuild(target);
  if (built === null) throw new Error(`${target} was deleted during the build.`);
  return built;
}

/** The same in a process of its own: the bundlers need 300 MB, which the service would keep until it ends. */
export async function buildWebApart(dist = DIST): Promise<WebBuild> {
  const target = path.join(dist, hashInputs());
  if (readBuild(target) === null) await promisify(execFile)(process.execPath, [import.meta.filename, dist]);
  const built = readBuild(target);
  if (built === null) throw new Error(`${target} is missing after the build.`);
  return built;
}

/** For a package or an image: the files of the current build alone, in a folder of any name. */
function copyBuild(folder: string, target: string): void {
  // Only an earlier copy is replaced, whatever the path is.
  if (fs.existsSync(path.join(target, MANIFEST))) fs.rmSync(target, { recursive: true });
  fs.cpSync(folder, target, { recursive: true });
}

if (import.meta.main) {
  const startedMs = performance.now();
  const { values, positionals } = parseArgs({ options: { 'copy-to': { type: 'string' } }, allowPositionals: true });
  const { folder } = await buildWeb(positionals[0]);
  const target = values['copy-to'];
  if (target !== undefined) copyBuild(folder, target);
  process.stdout.write(`${path.relative(process.cwd(), folder)} in ${Math.round(performance.now() - startedMs)} ms\n`);
}
