import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openWorkFolders } from '../../src/platform/work-folders.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';

const CHILD = path.join(import.meta.dirname, 'work-folders.child.ts');
const MINUTE_MS = 60_000;
const isRoot = process.getuid?.() === 0;

let dataDir: string;
let children: ChildProcess[];
beforeEach(() => {
  dataDir = temporaryFolder();
  children = [];
});
afterEach(async () => {
  for (const child of children) await kill(child);
  fs.chmodSync(dataDir, 0o700);
});

const foldersIn = (folder: string) => fs.readdirSync(path.join(folder, 'work'));
const open = (clock = () => new Date()) => openWorkFolders({ dataDir, clock });

/** A process that holds a folder. With a prefix, `unshare` is its parent. */
async function startWorking(...prefix: string[]): Promise<ChildProcess> {
  const [command = '', ...args] = [...prefix, process.execPath, CHILD, dataDir];
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const [line] = await once(child.stdout, 'data');
  expect(String(line)).toBe('working\n');
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

test('the folder of a killed process is removed by the next sweep, and that of a living one is kept', async () => {
  const killed = await startWorking();
  await startWorking();
  await kill(killed);
  expect(foldersIn(dataDir)).toHaveLength(2);
  await open().sweep();
  expect(foldersIn(dataDir)).toHaveLength(1);
  expect(foldersIn(dataDir)[0]).toContain(`-${children[1]?.pid}-`);
});

test('a reused process id does not keep the folder of a killed process', async () => {
  const killed = await startWorking();
  const living = await startWorking();
  await kill(killed);
  const [name = ''] = foldersIn(dataDir).filter((folder) => folder.includes(`-${killed.pid}-`));
  const reused = name.replace(`-${killed.pid}-`, `-${living.pid}-`);
  const work = path.join(dataDir, 'work');
  // Both may have started in the same hundredth of a second.
  fs.renameSync(path.join(work, name), path.join(work, reused.replace(/-(\d+)\./, '-1$1.')));
  await open().sweep();
  expect(foldersIn(dataDir)).toEqual([expect.stringContaining(`-${living.pid}-`)]);
});

// Needs root.
test.runIf(isRoot)(
  'the folder of a process in another container is kept for half an hour, whatever its process id',
  async () => {
    await startWorking('unshare', '--pid', '--fork', '--kill-child', '--mount-proc');
    await open(() => new Date(Date.now() + 29 * MINUTE_MS)).sweep();
    expect(foldersIn(dataDir)).toHaveLength(1);
    await open(() => new Date(Date.now() + 31 * MINUTE_MS)).sweep();
    expect(foldersIn(dataDir)).toEqual([]);
  },
);

test('work folders have a size, and each is removed when its work is done or has failed', async () => {
  const workFolders = open();
  await workFolders.use('take', async (folder) => {
    expect(fs.statSync(folder).mode & 0o777).toBe(0o700);
    fs.writeFileSync(path.join(folder, 'original'), Buffer.alloc(5_000));
    expect(await workFolders.bytes()).toBe(5_000);
  });
  const failed = workFolders.use('take', async (folder) => {
    fs.writeFileSync(path.join(folder, 'original'), Buffer.alloc(5_000));
    throw new Error('the work failed');
  });
  await expect(failed).rejects.toThrow('the work failed');
  expect(foldersIn(dataDir)).toEqual([]);
  expect(await workFolders.bytes()).toBe(0);
});

test('work goes on after the folder of all work folders was deleted', async () => {
  const workFolders = open();
  await workFolders.use('take', async () => undefined);
  fs.rmSync(path.join(dataDir, 'work'), { recursive: true });
  expect(await workFolders.use('take', async (folder) => fs.existsSync(folder))).toBe(true);
  expect(await workFolders.bytes()).toBe(0);
});

test('files that it did not make stay', async () => {
  const work = path.join(dataDir, 'work');
  fs.mkdirSync(path.join(work, 'lost+found'), { recursive: true });
  fs.mkdirSync(path.join(work, 'my.old.folder'));
  fs.writeFileSync(path.join(work, 'notes.txt'), 'kept');
  await open().sweep();
  expect(foldersIn(dataDir).sort()).toEqual(['lost+found', 'my.old.folder', 'notes.txt']);
});

test('without a writable DATA_DIR, it works in a private folder of the temporary directory', async () => {
  const temporary = path.join(os.tmpdir(), `foreword-work-${process.getuid?.()}`);
  // No user can create folders in /sys, not even root.
  await openWorkFolders({ dataDir: '/sys/foreword' }).use('take', async (folder) => {
    expect(path.dirname(folder)).toBe(temporary);
    expect(fs.statSync(temporary).mode & 0o777).toBe(0o700);
  });
});
