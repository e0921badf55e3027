import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { anEvent } from '../acceptance/support/actions.ts';
import {
  createApi,
  createTestOrganization,
  forFile,
  runSql,
  startDebianPostgres,
  startService,
} from '../harness/index.ts';
import { failToStart } from './failing-start.ts';

// A disk of 40 MB, which is a tablespace of Debian's PostgreSQL 15. Mounting it requires root.

const FILL = `insert into filler select repeat(md5(n::text), 200) from generate_series(1, 1000000) n`;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'foreword-disk-'));
const disk = path.join(folder, 'disk');
fs.mkdirSync(disk);
execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=40m', 'tmpfs', disk]);
afterAll(() => {
  execFileSync('umount', ['--lazy', disk]);
  fs.rmSync(folder, { recursive: true, force: true });
});
const server = await forFile(
  startDebianPostgres({ folder: path.join(folder, 'server'), settings: { fsync: 'off' } }),
  (opened) => opened.stop(),
);

const url = (database: string) => `postgres:///${database}?host=${encodeURIComponent(server.socketDir)}&user=foreword`;

/** As the administrator. */
const run = (database: string, ...statements: string[]) => runSql(url(database), ...statements);

/** Until nothing more fits. */
async function fill(database: string): Promise<void> {
  // Vacuum would shrink the table, because rows that did not fit are dead.
  const never = 'autovacuum_enabled = off, toast.autovacuum_enabled = off';
  await run(database, `create table filler (text text) with (${never})`);
  await run(database, 'alter table filler alter text set storage external');
  for (const rows of [100_000, 1_000, 100, 10, 1]) {
    const insert = FILL.replace('1000000', String(rows));
    for (;;) {
      const full = await run(database, insert).then(
        () => false,
        (error: { code?: string }) => {
          if (error.code !== '53100') throw error;
          return true;
        },
      );
      if (full) break;
    }
  }
}

const { uid, gid } = fs.statSync(server.socketDir);
fs.chownSync(disk, uid, gid);
await run('postgres', `create tablespace small location '${disk}'`);

test('a disk that is full at the start: one line', async () => {
  await run('postgres', 'create database late tablespace small');
  await fill('late');
  const { code, line } = await failToStart({ DATABASE_URL: url('late') });
  expect(code).toBe(1);
  await run('postgres', 'drop database late');
  expect(line).toMatch(
    /^cannot use the database at DATABASE_URL: could not extend file .*No space left on device .*its disk is full/,
  );
});

test('a disk that fills up while the service runs: writing is 503, reading works, and writing works again once there is space', async () => {
  await run('postgres', 'create database running tablespace small');
  const settings = { DATABASE_URL: url('running'), FOREWORD_DEMO: 'off', RATE_LIMIT: 'off' };
  const service = await startService(settings);
  onTestFinished(async () => void (await service.stop()));
  const { api } = await createTestOrganization(settings, service.url);
  const send = () => api.post('/v1/touchpoint-events', anEvent({ metadata: { note: 'x'.repeat(400) } }));
  expect((await send()).status).toBe(202);
  await fill('running');
  // The last pages of the tables still have space for a few.
  const sendUntilRefused = async () => {
    for (;;) {
      const replies = await Promise.all(Array.from({ length: 8 }, send));
      const refused = replies.find(({ status }) => status !== 202);
      if (refused !== undefined) return refused;
    }
  };
  expect(await sendUntilRefused()).toMatchObject({ status: 503, body: { error: { code: 'service_unavailable' } } });
  expect((await api.get('/v1/touchpoints')).status).toBe(200);
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
  await expect.poll(() => service.output()).toContain('No space left on device');
  await run('running', 'drop table filler');
  await expect.poll(async () => (await send()).status).toBe(202);
});

test('the embedded database on a disk that is full: reading works, writing is 503, also after a start, until there is space', async () => {
  const dataDir = path.join(folder, 'embedded');
  fs.mkdirSync(dataDir);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=400m', 'tmpfs', dataDir]);
  onTestFinished(() => void execFileSync('umount', ['--lazy', dataDir]));
  const settings = { DATA_DIR: path.join(dataDir, 'data'), FOREWORD_DEMO: 'off', RATE_LIMIT: 'off' };
  const filler = path.join(dataDir, 'filler');
  let service = await startService(settings);
  const organization = await createTestOrganization(settings, service.url);
  const send = () => createApi(service.url, organization.key).post('/v1/touchpoint-events', anEvent());
  const read = async () => (await createApi(service.url, organization.key).get('/v1/touchpoints')).status;
  expect((await send()).status).toBe(202);
  // Until nothing more fits.
  expect(() => execFileSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=1M'], { stdio: 'ignore' })).toThrow();
  await expect.poll(async () => (await send()).status).toBe(503);
  expect((await send()).body.error.code).toBe('service_unavailable');
  expect([await read(), (await fetch(`${service.url}/readyz`)).status]).toEqual([200, 200]);
  expect(await service.stop()).toBe(0);
  service = await startService(settings);
  onTestFinished(async () => void (await service.stop()));
  expect([await read(), (await send()).status]).toEqual([200, 503]);
  fs.rmSync(filler);
  await expect.poll(async () => (await send()).status).toBe(202);
});

test('a DATA_DIR that is read-only: one line that names it', async () => {
  const dataDir = path.join(folder, 'read-only');
  fs.mkdirSync(dataDir);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'ro', 'tmpfs', dataDir]);
  onTestFinished(() => void execFileSync('umount', [dataDir]));
  const ended = await failToStart({ DATA_DIR: dataDir, SERVER_KEY: '5e'.repeat(32) });
  expect(ended).toEqual({ code: 78, line: expect.stringContaining(`cannot write to ${dataDir} (DATA_DIR): EROFS`) });
});
