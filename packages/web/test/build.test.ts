import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildWeb, type WebBuild } from '../build.ts';

const PROGRAM = path.join(import.meta.dirname, '../build.ts');
/** What a phone on a weak signal is asked to load before it can record. */
const BUDGET_BYTES = 60_000;
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

const nameAll = (folder: string): string[] => fs.readdirSync(folder, { recursive: true }).map(String).sort();

describe('the built recorder', () => {
  test('weighs at most 60 KB of JavaScript, compressed', () => {
    const scripts = fs.readdirSync(built.folder).filter((name) => name.endsWith('.js'));
    const bytes = scripts.map((name) => gzipSync(fs.readFileSync(path.join(built.folder, name))).length);
    expect(bytes.length).toBeGreaterThan(0);
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(BUDGET_BYTES);
  });

  test('has names that change with what is in them', () => {
    expect(built.entries.recorder?.script).toMatch(/^recorder-[\w-]{8}\.js$/);
    expect(built.entries.recorder?.style).toMatch(/^recorder-[\w-]{8}\.css$/);
  });
});

describe('building', () => {
  test('what stands already takes under 100 ms, and touches nothing', async () => {
    const before = nameAll(dist);
    const startedMs = performance.now();
    expect(await buildWeb(dist)).toEqual(built);
    expect(performance.now() - startedMs).toBeLessThan(SKIP_MS);
    expect(nameAll(dist)).toEqual(before);
  });

  test('is done again when a file of the build is gone', async () => {
    const script = path.join(built.folder, built.entries.recorder?.script ?? '');
    fs.rmSync(script);
    expect(await buildWeb(dist)).toEqual(built);
    expect(fs.existsSync(script)).toBe(true);
  });

  test('by several processes at once gives one whole build and leaves nothing else', async () => {
    const folder = path.join(dist, 'together');
    const codes = await Promise.all([1, 2, 3].map(() => exitOf(startBuild(folder))));
    expect(codes).toEqual([0, 0, 0]);
    expect(nameAll(folder)).toEqual(nameAll(dist).filter((name) => name.startsWith(path.basename(built.folder))));
  });

  test.each([20, 80, 150, 220, 300])('killed after %i ms leaves no half build behind', async (delayMs) => {
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
