import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import {
  CHILD,
  cleanups,
  dataDir,
  end,
  isAlive,
  killHard,
  LAUNCHER,
  rowsOf,
  spawnChild,
  start,
  useFolderForEachTest,
  withClient,
} from './embedded-postgres.harness.ts';

useFolderForEachTest();

describe('after a crash of the embedded database', () => {
  test('no acknowledged row is lost and no postmaster remains when the parent is killed while writing', async () => {
    const { child, report } = await spawnChild({});
    await rowsOf(report.connection, 'create table event (id int primary key)');
    const acknowledged: number[] = [];
    const writers = [0, 1, 2, 3].map((writer) =>
      withClient(report.connection, async (client) => {
        for (let id = writer; ; id += 4) {
          await client.query('insert into event values ($1)', [id]);
          acknowledged.push(id);
        }
      }).catch(() => undefined),
    );
    await sleep(400);
    await killHard(child);
    const killedAt = performance.now();
    while (isAlive(report.pid) && performance.now() - killedAt < 1000) await sleep(5);
    expect(isAlive(report.pid)).toBe(false);
    await Promise.all(writers);

    const { connection } = await start();
    const stored = new Set(await rowsOf(connection, 'select id from event'));
    expect(acknowledged.length).toBeGreaterThan(50);
    expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
  });

  test('no postmaster remains when the parent is killed at any point during its start', async () => {
    await (await start()).stop();
    for (const delay of [60, 90, 110, 130, 150]) {
      const child = spawn(process.execPath, [CHILD, LAUNCHER, dataDir, '10000'], {
        stdio: ['pipe', 'ignore', 'ignore'],
      });
      cleanups.push(() => end(child));
      await sleep(delay);
      await killHard(child);
    }
    const restarted = await start({ waitMs: 2000 });
    expect(await rowsOf(restarted.connection, 'select 1')).toEqual([1]);
  });

  test('the reason is reported when the postmaster is killed, and the database starts again', async () => {
    const first = await start();
    await rowsOf(first.connection, 'create table note as select 1 as number');
    process.kill(first.pid, 'SIGKILL');
    expect(await first.exited).toMatch(`the database (pid ${first.pid}) ended with code 137`);
    const second = await start();
    expect(await rowsOf(second.connection, 'select number from note')).toEqual([1]);
  });

  test('the reported reason contains server messages, but nothing that a client sent', async () => {
    const { connection, pid, exited } = await start();
    await expect(rowsOf(connection, `select 'secret'::int`)).rejects.toThrow('secret');
    // The last checkpoint needs this file.
    rmSync(join(dataDir, 'pg18/global/pg_control'));
    process.kill(pid, 'SIGINT');
    const reason = await exited;
    expect(reason).toMatch(/PANIC: .*pg_control/);
    expect(reason).not.toContain('secret');
  });

  test('a partial cluster of a killed initdb is removed and a complete one is created', async () => {
    const partial = join(dataDir, 'pg18.initdb-AbCdEf');
    mkdirSync(join(partial, 'base'), { recursive: true });
    writeFileSync(join(partial, 'PG_VERSION'), '18\n');
    const { connection } = await start();
    expect(await rowsOf(connection, 'select 1')).toEqual([1]);
    expect(readdirSync(dataDir).filter((entry) => entry.includes('initdb'))).toEqual([]);
  });

  test('the database starts after the parent was killed during initdb', async () => {
    const child = spawn(process.execPath, [CHILD, LAUNCHER, dataDir, '0'], { stdio: ['pipe', 'ignore', 'ignore'] });
    cleanups.push(() => end(child));
    const isPartial = () =>
      existsSync(dataDir) && readdirSync(dataDir).some((entry) => existsSync(join(dataDir, entry, 'base')));
    while (!isPartial()) await sleep(2);
    await killHard(child);
    expect(existsSync(join(dataDir, 'pg18'))).toBe(false);
    const { connection } = await start();
    expect(await rowsOf(connection, 'select 1')).toEqual([1]);
    expect(readdirSync(dataDir).filter((entry) => entry.includes('initdb'))).toEqual([]);
  });
});
