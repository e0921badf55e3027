import { spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findRunningPostgres } from '../../src/db/embedded-postgres/index.ts';
import { LOCK_FILES } from '../../src/db/embedded-postgres/locks.ts';
import {
  cleanups,
  dataDir,
  folder,
  isAlive,
  isRoot,
  killHard,
  makeInstallation,
  NOBODY,
  rowsOf,
  spawnChild,
  start,
  useFolderForEachTest,
} from './embedded-postgres.harness.ts';

useFolderForEachTest();

const SOCKET_LOCK = '.s.PGSQL.5432.lock';
/** PostgreSQL ignores the pid of a process that it may not signal, so these processes run as its user. */
const account = isRoot ? { uid: NOBODY, gid: NOBODY } : {};

function spawnUnrelated(command: string): number {
  const child = spawn('/bin/sh', ['-c', command], { ...account, cwd: '/', stdio: 'ignore' });
  cleanups.push(() => killHard(child));
  if (child.pid === undefined) throw new Error('cannot start /bin/sh');
  return child.pid;
}

/** The pid of a process that has ended and that its parent never reaps. */
async function makeZombie(): Promise<number> {
  const parent = spawnUnrelated('true & exec sleep 60');
  let zombie = 0;
  await expect
    .poll(() => {
      const [child = ''] = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').split(' ');
      zombie = Number(child);
      return zombie > 0 && readFileSync(`/proc/${child}/stat`, 'utf8').split(' ')[2];
    })
    .toBe('Z');
  return zombie;
}

/** The content of both lock files as a postmaster with this pid writes it. */
const lockOf = (pid: number, socketFolder: string) =>
  `${pid}\n${dataDir}/pg18\n1\n5432\n${socketFolder}\n\n  5432001 0\nready   \n`;

/** Stops the database, puts the content in both lock files, and checks that one start succeeds at once. */
async function expectStartWith(contentFor: (socketFolder: string) => string | Buffer): Promise<void> {
  const before = await start();
  const socketFolder = before.connection.host;
  await rowsOf(before.connection, 'create table if not exists note as select 7 as number');
  await before.stop();
  const owner = statSync(join(dataDir, 'pg18'));
  for (const file of [join(dataDir, 'pg18/postmaster.pid'), join(socketFolder, SOCKET_LOCK)]) {
    writeFileSync(file, contentFor(socketFolder), { mode: 0o600 });
    if (isRoot) chownSync(file, owner.uid, owner.gid);
  }
  expect(await findRunningPostgres(dataDir)).toBeNull();
  const { connection, pid, stop } = await start({ waitMs: 0 });
  expect(await rowsOf(connection, 'select number from note')).toEqual([7]);
  expect(readFileSync(join(socketFolder, SOCKET_LOCK), 'utf8')).toMatch(`${pid}\n`);
  await stop();
}

describe('after a crash, the embedded database starts at once when its lock files', () => {
  test('name an unrelated process of the same user, and that process keeps running', async () => {
    const unrelated = spawnUnrelated('exec sleep 60');
    await expectStartWith((socketFolder) => lockOf(unrelated, socketFolder));
    expect(isAlive(unrelated)).toBe(true);
  });

  test('name pid 1', async () => {
    await expectStartWith((socketFolder) => lockOf(1, socketFolder));
  });

  test('name a zombie', async () => {
    const zombie = await makeZombie();
    await expectStartWith((socketFolder) => lockOf(zombie, socketFolder));
  });

  test('name the process that starts it', async () => {
    await expectStartWith((socketFolder) => lockOf(process.pid, socketFolder));
  });

  test('are empty, cut off, garbage or full of zeros', async () => {
    const contents = ['', '1', '-1\n', 'not a number\n\u0000\u0001', '99999999999999999999\n', Buffer.alloc(8192)];
    for (const content of contents) await expectStartWith(() => content);
  });

  test('belong to another user', async () => {
    await expectStartWith((socketFolder) => lockOf(1, socketFolder));
    const { connection, stop } = await start();
    const lock = join(connection.host, SOCKET_LOCK);
    await stop();
    writeFileSync(lock, lockOf(1, connection.host), { mode: 0o600 });
    if (isRoot) chownSync(lock, 4242, 4242);
    else chmodSync(lock, 0);
    expect(await rowsOf((await start({ waitMs: 0 })).connection, 'select 1')).toEqual([1]);
  });
});

describe('other leftovers', () => {
  test('a socket lock in the temporary folder of a long DATA_DIR is removed', async () => {
    const long = join(folder, 'l'.repeat(100));
    const first = await start({ dataDir: long });
    const socketFolder = first.connection.host;
    cleanups.push(() => rmSync(socketFolder, { recursive: true, force: true }));
    expect(socketFolder.startsWith(long)).toBe(false);
    await first.stop();
    const unrelated = spawnUnrelated('exec sleep 60');
    writeFileSync(join(socketFolder, SOCKET_LOCK), lockOf(unrelated, socketFolder));
    // On a busy machine, a process of the stopped database may still be ending.
    expect(await rowsOf((await start({ dataDir: long, waitMs: 30_000 })).connection, 'select 1')).toEqual([1]);
  });

  test('nothing is removed from a folder that another user put in place of the socket folder', async () => {
    const long = join(folder, 'l'.repeat(100));
    const first = await start({ dataDir: long });
    await first.stop();
    rmSync(first.connection.host, { recursive: true });
    const target = join(folder, 'target');
    mkdirSync(target);
    writeFileSync(join(target, SOCKET_LOCK), '1\n');
    symlinkSync(target, first.connection.host);
    cleanups.push(() => rmSync(first.connection.host, { force: true }));
    await expect(start({ dataDir: long })).rejects.toThrow('belongs to another user');
    expect(await findRunningPostgres(long)).toBeNull();
    expect(readFileSync(join(target, SOCKET_LOCK), 'utf8')).toBe('1\n');
  });

  // SQLite only pretends to lock such a file, so a second start would stop the database of the first.
  test.each(LOCK_FILES)(
    'a %s that can be read but not written is named, and the database does not start',
    async (name) => {
      mkdirSync(dataDir);
      if (isRoot) chownSync(dataDir, NOBODY, NOBODY);
      writeFileSync(join(dataDir, name), '', { mode: 0o444 });
      const installation = makeInstallation(folder, { withNode: true });
      const { report } = await spawnChild({ ...installation, ...(isRoot ? { uid: NOBODY } : {}) });
      expect(report.error).toMatch(`cannot write to ${join(dataDir, name)} (DATA_DIR): EACCES`);
    },
  );

  test.runIf(isRoot)('the lock files that root creates belong to the owner of DATA_DIR', async () => {
    mkdirSync(dataDir);
    chownSync(dataDir, NOBODY, NOBODY);
    await start();
    expect(LOCK_FILES.map((name) => statSync(join(dataDir, name)).uid)).toEqual([NOBODY, NOBODY]);
  });

  test('the start lock works whatever its file contains', async () => {
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, 'postgres.lock'), 'garbage\n'.repeat(1000));
    const first = await start();
    expect(await rowsOf(first.connection, 'select 1')).toEqual([1]);
    await first.stop();
    writeFileSync(join(dataDir, 'postgres.lock'), Buffer.alloc(4096));
    expect(await rowsOf((await start()).connection, 'select 1')).toEqual([1]);
  });
});
