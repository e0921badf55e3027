import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { locatePackage } from '../../src/db/embedded-postgres/binaries.ts';
import { clusterIn } from '../../src/db/embedded-postgres/cluster.ts';
import { findProcessesOf } from '../../src/db/embedded-postgres/processes.ts';
import { collectText } from '../harness/streams.ts';
import {
  CHILD,
  cleanups,
  dataDir,
  end,
  folder,
  isAlive,
  isRoot,
  killHard,
  LAUNCHER,
  makeInstallation,
  NOBODY,
  rowsOf,
  SHORT_WAIT_MS,
  spawnChild,
  start,
  useFolderForEachTest,
  withClient,
} from './embedded-postgres.harness.ts';

useFolderForEachTest();

const processes = () => findProcessesOf(clusterIn(dataDir));
const isWatchdog = ({ kind }: { kind: string }) => kind === 'watchdog';

async function waitForEnd(pids: readonly number[]): Promise<void> {
  await expect.poll(() => pids.filter(isAlive), { interval: 10 }).toEqual([]);
}

/** Kills the process that started the database and both shells that watch it. PostgreSQL keeps running. */
async function orphan(child: ChildProcess): Promise<void> {
  const watchdogs = processes().filter(isWatchdog);
  expect(watchdogs).toHaveLength(2);
  for (const { pid } of watchdogs) process.kill(pid, 'SIGSTOP');
  await killHard(child);
  for (const { pid } of watchdogs) process.kill(pid, 'SIGKILL');
}

/** Starts the database in another process, adds a row and orphans it. */
async function startOrphan(options: Parameters<typeof spawnChild>[0] = {}) {
  const { child, report } = await spawnChild(options);
  expect(report.error).toBeUndefined();
  await rowsOf(report.connection, 'create table if not exists note as select 7 as number');
  await orphan(child);
  expect(isAlive(report.pid)).toBe(true);
  cleanups.push(() => isAlive(report.pid) && process.kill(report.pid, 'SIGKILL'));
  return report;
}

/** Checks that one start succeeds, with everything that was committed, and that the orphan has ended. */
async function expectTakeover(pid: number): Promise<void> {
  const { connection } = await start();
  expect(isAlive(pid)).toBe(false);
  expect(await rowsOf(connection, 'select number from note')).toEqual([7]);
}

describe('a start takes over a database whose parent and watchdogs were killed', () => {
  test('while it accepts connections', async () => {
    const { pid } = await startOrphan();
    await expectTakeover(pid);
  });

  test('after its socket and its lock files were deleted', async () => {
    const { pid, connection } = await startOrphan();
    rmSync(connection.host, { recursive: true });
    await expectTakeover(pid);
  });

  test('when only the shell remains that cannot notice the death of the parent', async () => {
    const { child, report } = await spawnChild({});
    await rowsOf(report.connection, 'create table note as select 7 as number');
    const shells = processes().filter(isWatchdog);
    // The guard is a child of the other shell, so it has the higher pid.
    process.kill(Math.max(...shells.map(({ pid }) => pid)), 'SIGKILL');
    await killHard(child);
    await sleep(SHORT_WAIT_MS);
    expect(isAlive(report.pid)).toBe(true);
    await expectTakeover(report.pid);
  });

  test('while it and all its children are suspended', async () => {
    const { pid } = await startOrphan();
    for (const one of processes()) process.kill(one.pid, 'SIGSTOP');
    await expectTakeover(pid);
  });

  test('when it cannot shut down', async () => {
    const { pid, connection } = await startOrphan();
    await withClient(connection, async (client) => {
      const { rows } = await client.query('select pg_backend_pid() as pid');
      // Like a process that is stuck in the kernel: the shutdown waits for it.
      const stuck = setInterval(() => isAlive(rows[0].pid) && process.kill(rows[0].pid, 'SIGSTOP'), 2);
      await expectTakeover(pid).finally(() => clearInterval(stuck));
    });
  });

  test('while it starts or recovers', async () => {
    const first = await startOrphan();
    for (const pause of [0, 10, 20, 30, 50, 80]) {
      for (const { pid } of processes()) process.kill(pid, 'SIGKILL');
      const child = spawn(process.execPath, [CHILD, LAUNCHER, dataDir, '10000'], { stdio: 'ignore' });
      cleanups.push(() => end(child));
      await expect.poll(() => processes().length, { interval: 1 }).toBeGreaterThan(0);
      await sleep(pause);
      const watchdogs = processes().filter(isWatchdog);
      for (const { pid } of watchdogs) process.kill(pid, 'SIGSTOP');
      await killHard(child);
      for (const { pid } of watchdogs) process.kill(pid, 'SIGKILL');
    }
    await expectTakeover(first.pid);
  });

  test('when only one of its children is left', async () => {
    const { child, report } = await spawnChild({});
    await rowsOf(report.connection, 'create table note as select 7 as number');
    const writer = processes().find(({ command }) => command.includes(': background writer'));
    if (writer === undefined) throw new Error('there is no background writer');
    process.kill(writer.pid, 'SIGSTOP');
    const others = processes().filter(({ pid }) => pid !== writer.pid);
    await orphan(child);
    process.kill(report.pid, 'SIGKILL');
    await waitForEnd(others.map(({ pid }) => pid));
    expect(isAlive(writer.pid)).toBe(true);
    await expectTakeover(writer.pid);
  });

  test('once, when several processes start at the same time', async () => {
    const { pid } = await startOrphan();
    const children = await Promise.all([1, 2, 3].map(() => spawnChild({ waitMs: 3000 })));
    const started = children.filter(({ report }) => report.error === undefined);
    expect(started).toHaveLength(1);
    expect(isAlive(pid)).toBe(false);
    for (const { report } of started) expect(await rowsOf(report.connection, 'select number from note')).toEqual([7]);
  });

  test.runIf(isRoot)('of another user, and as root without the right to inspect processes of others', async () => {
    const installation = makeInstallation(folder, { withNode: true });
    mkdirSync(dataDir);
    chownSync(dataDir, NOBODY, NOBODY);
    const first = await startOrphan({ ...installation, uid: NOBODY });
    // Like root in a container.
    const wrapper = ['setpriv', '--bounding-set=-sys_ptrace', '--inh-caps=-sys_ptrace'];
    const second = await startOrphan({ wrapper });
    expect(isAlive(first.pid)).toBe(false);
    await expectTakeover(second.pid);
  });
});

describe('a start leaves alone', () => {
  /** Runs PostgreSQL by hand, in the account that owns the cluster. */
  async function runByHand(args: readonly string[], isReady: (output: string) => boolean): Promise<number> {
    await (await start()).stop();
    const account = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
    const postgres = join(locatePackage().native, 'bin/postgres');
    const child = spawn(postgres, args, { ...account, cwd: '/', stdio: 'pipe', env: { LC_ALL: 'C' } });
    cleanups.push(() => killHard(child));
    const output = collectText(child.stdout, child.stderr);
    await expect.poll(() => isReady(output()) || child.exitCode !== null).toBe(true);
    expect(child.exitCode, output()).toBe(null);
    return child.pid ?? 0;
  }

  test('PostgreSQL in single-user mode, and names its pid', async () => {
    const pid = await runByHand(['--single', '-D', join(dataDir, 'pg18'), 'postgres'], (text) => text.includes('> '));
    await expect(start({ waitMs: SHORT_WAIT_MS })).rejects.toThrow(
      `${dataDir} (DATA_DIR) is in use by another program: PostgreSQL with pid ${pid}, which Foreword did not start. End it first`,
    );
    expect(isAlive(pid)).toBe(true);
  });

  test('a server that was started by hand on the same folder', async () => {
    const args = ['-D', join(dataDir, 'pg18'), '-k', join(dataDir, 'run'), '-h', ''];
    const pid = await runByHand(args, (text) => text.includes('ready to accept connections'));
    await expect(start({ waitMs: SHORT_WAIT_MS })).rejects.toThrow(`PostgreSQL with pid ${pid}`);
    expect(isAlive(pid)).toBe(true);
  });

  test('an orphan of another DATA_DIR, and programs that only mention the cluster', async () => {
    const other = await startOrphan({ dataDir });
    const mention = spawn('/bin/sh', ['-c', 'sleep 60; :', `cluster_name=${clusterIn(dataDir).name}`], {
      cwd: join(dataDir, 'pg18'),
      stdio: 'ignore',
    });
    cleanups.push(() => killHard(mention));
    await once(mention, 'spawn');
    const second = await start({ dataDir: join(folder, 'second') });
    expect(await rowsOf(second.connection, 'select 1')).toEqual([1]);
    expect(isAlive(other.pid)).toBe(true);
    await expectTakeover(other.pid);
    expect(isAlive(mention.pid ?? 0)).toBe(true);
  });

  test('the database of a running instance whose guard was killed', async () => {
    const { child, report } = await spawnChild({});
    const shells = processes().filter(isWatchdog);
    process.kill(Math.max(...shells.map(({ pid }) => pid)), 'SIGKILL');
    await expect(start({ waitMs: SHORT_WAIT_MS })).rejects.toThrow(
      `${dataDir} (DATA_DIR) is in use by another instance, whose database has pid ${report.pid}`,
    );
    expect(await rowsOf(report.connection, 'select 1')).toEqual([1]);
    // Also without its guard, the instance stops its database.
    await end(child);
    expect(isAlive(report.pid)).toBe(false);
  });
});
