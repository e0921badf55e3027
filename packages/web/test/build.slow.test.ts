import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { LANGUAGES } from '@foreword/contract/plain';
import { describe, expect, test, vi } from 'vitest';
import { temporaryFolder } from '../../server/test/harness/temporary-folder.ts';
import { buildWeb, buildWebApart } from '../build.ts';
import type { BuiltEntry } from '../bundlers/entry.ts';
import { CATALOGS } from './catalogs.ts';

const PROGRAM = path.join(import.meta.dirname, '../build.ts');
/** Both files of the typeface. */
const FONT_BYTES = 60_000;

const dist = temporaryFolder();
const built = await buildWeb(dist);

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
  test.each(LANGUAGES)('is one script (%s)', (language) => {
    expect(entry(`recorder-${language}`).preload).toEqual([]);
  });

  test('has a content hash in its file names', () => {
    const { script, style } = entry('recorder-en');
    expect(script).toMatch(/^recorder-en-[\w-]{8}\.js$/);
    expect(style).toMatch(/^recorder-en-[\w-]{8}\.css$/);
  });

  test('contains the texts of one language only', () => {
    for (const language of LANGUAGES) {
      const script = read(entry(`recorder-${language}`).script);
      for (const [other, { START, CLOSED }] of Object.entries(CATALOGS)) {
        expect(script.includes(START.start)).toBe(other === language);
        expect(script.includes(CLOSED.takeGone)).toBe(other === language);
      }
    }
  });
});

test('the typeface has at most 60 KB, and all pages share its files', () => {
  const fonts = fs.readdirSync(built.folder).filter((name) => name.endsWith('.woff2'));
  expect(fonts).toHaveLength(2);
  expect(entry('console').font).toBe(entry('recorder-en').font);
  const bytes = fonts.reduce((sum, name) => sum + fs.statSync(path.join(built.folder, name)).size, 0);
  expect(bytes).toBeLessThanOrEqual(FONT_BYTES);
});

describe('the built console', () => {
  test('lists all static imports of its script for preloading', () => {
    const { script, preload } = entry('console');
    expect([...listImports(script)].filter((name) => name !== script).sort()).toEqual(preload);
  });

  test('lists the files of its first pages for preloading, with all their static imports', () => {
    const { script, preload, pages } = entry('console');
    for (const [page, [first = '', ...others]] of Object.entries(pages)) {
      const needed = [...listImports(first)].filter((name) => ![script, ...preload].includes(name));
      expect([page, ...needed.sort()]).toEqual([page, ...[first, ...others].sort()]);
    }
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
  test('changes nothing when it is up to date', async () => {
    const times = () => listFiles(dist).map((name) => [name, fs.statSync(path.join(dist, name)).mtimeMs]);
    const before = times();
    expect(await buildWeb(dist)).toEqual(built);
    expect(times()).toEqual(before);
  });

  test('in a process of its own and with any NODE_ENV writes the same files, and keeps the memory of this one', async () => {
    vi.stubEnv('NODE_ENV', 'development');
    const folder = path.join(dist, 'apart');
    const beforeMb = process.memoryUsage.rss() / 1e6;
    const { folder: target, entries } = await buildWebApart(folder);
    expect(process.memoryUsage.rss() / 1e6 - beforeMb).toBeLessThan(100);
    expect(entries).toEqual(built.entries);
    expect(listFiles(target)).toEqual(listFiles(built.folder));
    expect(fs.readFileSync(path.join(target, entry('console').script), 'utf8')).toBe(read(entry('console').script));
    vi.unstubAllEnvs();
  });

  test('in a process of its own reports why it failed', async () => {
    const file = path.join(dist, 'a-file');
    fs.writeFileSync(file, '');
    await expect(buildWebApart(file)).rejects.toThrow('EEXIST');
  });

  test('runs again when a file is missing, even one of a dynamically imported page', async () => {
    const scripts = Object.values(built.entries).flatMap(({ script, preload }) => [script, ...preload]);
    const page = listFiles(built.folder).find((name) => name.endsWith('.js') && !scripts.includes(name)) ?? '';
    fs.rmSync(path.join(built.folder, page));
    expect(await buildWeb(dist)).toEqual(built);
    expect(fs.existsSync(path.join(built.folder, page))).toBe(true);
  });

  test('leaves one complete build and nothing else when several processes run at once', async () => {
    const folder = path.join(dist, 'together');
    const codes = await Promise.all([1, 2].map(() => exitOf(startBuild(folder))));
    expect(codes).toEqual([0, 0]);
    expect(listFiles(folder)).toEqual(listFiles(dist).filter((name) => name.startsWith(path.basename(built.folder))));
  });

  test('leaves no partial build when it is killed', async () => {
    const folder = path.join(dist, 'killed');
    for (const delayMs of [20, 150, 300]) {
      const child = startBuild(folder);
      const ended = exitOf(child);
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      child.kill('SIGKILL');
      await ended;
    }
    const { folder: target, entries } = await buildWeb(folder);
    const { script = '', style = '' } = entries['recorder-en'] ?? {};
    for (const name of [script, style]) {
      expect(fs.readFileSync(path.join(target, name))).toEqual(fs.readFileSync(path.join(built.folder, name)));
    }
  });
});
