import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildWeb, type WebBuild } from '../build.ts';
import type { BuiltEntry } from '../bundlers/entry.ts';

const PROGRAM = path.join(import.meta.dirname, '../build.ts');
/** Keeps recording usable on a phone with a weak signal. */
const RECORDER_BYTES = 60_000;
/** Loaded between sign-in and the first page. */
const CONSOLE_BYTES = 150_000;
const SKIP_MS = 100;

let dist: string;
let built: WebBuild;
beforeAll(async () => {
  dist = fs.mkdtempSync(path.join(os.tmpdir(), 'foreword-web-'));
  built = await buildWeb(dist);
});
afterAll(() => fs.rmSync(dist, { recursive: true, force: true }));

const startBuild = (folder: string): ChildProcess => spawn(process.execPath, [PROGRAM, folder], { stdio: 'ignore' });

async function exitOf(child: ChildProcess): Promise<number | null> {
  const [code] = await once(child, 'exit');
  return code as number | null;
}

function entry(name: string): BuiltEntry {
  const found = built.entries[name];
  if (found === undefined) throw new Error(`${name} is not built`);
  return found;
}

const read = (name: string): string => fs.readFileSync(path.join(built.folder, name), 'utf8');
const weigh = (names: readonly string[]): number =>
  names.reduce((sum, name) => sum + gzipSync(fs.readFileSync(path.join(built.folder, name))).length, 0);

/** A script and all its static imports, direct and indirect. */
function listImports(name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found;
  found.add(name);
  for (const [, imported] of read(name).matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)) {
    if (imported !== undefined) listImports(imported, found);
  }
  return found;
}

const listFiles = (folder: string): string[] => fs.readdirSync(folder, { recursive: true }).map(String).sort();

describe('the built recorder', () => {
  test('has at most 60 KB of compressed JavaScript', () => {
    const { script, preload } = entry('recorder');
    expect(preload).toEqual([]);
    expect(weigh([script])).toBeLessThanOrEqual(RECORDER_BYTES);
  });

  test('has a content hash in its file names', () => {
    expect(built.entries.recorder?.script).toMatch(/^recorder-[\w-]{8}\.js$/);
    expect(built.entries.recorder?.style).toMatch(/^recorder-[\w-]{8}\.css$/);
  });
});

describe('the built console', () => {
  test('loads at most 150 KB of compressed JavaScript to show the overview', () => {
    const { script, preload } = entry('console');
    const overview = fs
      .readdirSync(built.folder)
      .find((name) => read(name).includes('OverviewPage') && name !== script);
    if (overview === undefined) throw new Error('the overview has no file of its own');
    const files = new Set([script, ...preload, ...listImports(script), ...listImports(overview)]);
    expect(weigh([...files])).toBeLessThanOrEqual(CONSOLE_BYTES);
  });

  test('lists all static imports of its script for preloading', () => {
    const { script, preload } = entry('console');
    expect([...listImports(script)].filter((name) => name !== script).sort()).toEqual(preload);
  });

  test('has one file per page and one style sheet', () => {
    const names = fs.readdirSync(built.folder).filter((name) => name.startsWith('console-'));
    expect(names.filter((name) => name.endsWith('.css'))).toEqual([entry('console').style]);
    expect(names.filter((name) => name.endsWith('.js')).length).toBeGreaterThan(20);
  });

  test('contains no code of the contract schemas', () => {
    const scripts = fs.readdirSync(built.folder).filter((name) => name.endsWith('.js'));
    for (const name of scripts) expect(read(name)).not.toContain('x-problem');
  });
});

describe('the build', () => {
  test('does not depend on NODE_ENV', async () => {
    const folder = path.join(dist, 'developing');
    const env = { ...process.env, NODE_ENV: 'development' };
    const child = spawn(process.execPath, [PROGRAM, folder], { stdio: 'ignore', env });
    expect(await exitOf(child)).toBe(0);
    const other = path.join(folder, path.basename(built.folder));
    expect(listFiles(other)).toEqual(listFiles(built.folder));
    expect(fs.readFileSync(path.join(other, entry('console').script), 'utf8')).toBe(read(entry('console').script));
  });

  test('takes under 100 ms and changes nothing when it is up to date', async () => {
    const before = listFiles(dist);
    const startedMs = performance.now();
    expect(await buildWeb(dist)).toEqual(built);
    expect(performance.now() - startedMs).toBeLessThan(SKIP_MS);
    expect(listFiles(dist)).toEqual(before);
  });

  test('runs again when a file is missing', async () => {
    const script = path.join(built.folder, built.entries.recorder?.script ?? '');
    fs.rmSync(script);
    expect(await buildWeb(dist)).toEqual(built);
    expect(fs.existsSync(script)).toBe(true);
  });

  test('runs again when the file of a dynamically imported page is missing', async () => {
    const { script, preload } = entry('console');
    const page = fs
      .readdirSync(built.folder)
      .find((name) => name.endsWith('.js') && ![script, ...preload].includes(name));
    fs.rmSync(path.join(built.folder, page ?? ''));
    expect(await buildWeb(dist)).toEqual(built);
    expect(fs.existsSync(path.join(built.folder, page ?? ''))).toBe(true);
  });

  test('leaves one complete build and nothing else when several processes run at once', async () => {
    const folder = path.join(dist, 'together');
    const codes = await Promise.all([1, 2, 3].map(() => exitOf(startBuild(folder))));
    expect(codes).toEqual([0, 0, 0]);
    expect(listFiles(folder)).toEqual(listFiles(dist).filter((name) => name.startsWith(path.basename(built.folder))));
  });

  test.each([20, 80, 150, 220, 300])('leaves no partial build when it is killed after %i ms', async (delayMs) => {
    const folder = path.join(dist, `killed-${delayMs}`);
    const child = startBuild(folder);
    const ended = exitOf(child);
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    child.kill('SIGKILL');
    await ended;
    const { folder: target, entries } = await buildWeb(folder);
    for (const name of [entries.recorder?.script, entries.recorder?.style]) {
      const file = path.join(target, name ?? '');
      expect(fs.readFileSync(file)).toEqual(fs.readFileSync(path.join(built.folder, name ?? '')));
    }
  });
});
