import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createTestOrganization,
  type DebianPostgres,
  nextKey,
  type Service,
  startDebianPostgres,
  startService,
} from '../harness/index.ts';
import { failToStart } from './failing-start.ts';

// A disk of 40 MB, which is a tablespace of Debian's PostgreSQL 15. Mounting it requires root.

const FILL = `insert into filler select repeat(md5(n::text), 200) from generate_series(1, 1000000) n`;
let folder: string;
let disk: string;
let server: DebianPostgres;
let service: Service;

const url = (database: string) => `postgres:///${database}?host=${encodeURIComponent(server.socketDir)}&user=foreword`;

/** As the administrator. */
async function run(database: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url(database) });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

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

beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'foreword-disk-'));
  server = await startDebianPostgres({ folder: path.join(folder, 'server'), settings: { fsync: 'off' } });
  disk = path.join(folder, 'disk');
  fs.mkdirSync(disk);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=40m', 'tmpfs', disk]);
  const { uid, gid } = fs.statSync(server.socketDir);
  fs.chownSync(disk, uid, gid);
  await run('postgres', `create tablespace small location '${disk}'`);
});

afterAll(async () => {
  await service?.stop();
  await server?.stop();
  execFileSync('umount', [disk]);
  fs.rmSync(folder, { recursive: true, force: true });
});

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
  service = await startService({ DATABASE_URL: url('running'), FOREWORD_DEMO: 'off', RATE_LIMIT: 'off' });
  const { api } = await createTestOrganization({ DATABASE_URL: url('running') }, service.url);
  const event = {
    touchpoint: 'new_appointment',
    occurred_at: '2026-03-10T09:15:00Z',
    member: { external_id: 'rep_17' },
    recipient: { first_name: 'Dana', phone: '+14155550123' },
    context: { appointment: { starts_at: '2090-03-12T14:30:00', timezone: 'America/Chicago' } },
    metadata: { note: 'x'.repeat(400) },
  };
  const send = () => api.post('/v1/touchpoint-events', event, { key: nextKey() });
  expect((await send()).status).toBe(202);
  await fill('running');
  // The last pages of the tables still have space for a few.
  const sendUntilRefused = async () => {
    for (;;) {
      const reply = await send();
      if (reply.status !== 202) return reply;
    }
  };
  expect(await sendUntilRefused()).toMatchObject({ status: 503, body: { error: { code: 'service_unavailable' } } });
  expect((await api.get('/v1/touchpoints')).status).toBe(200);
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
  await expect.poll(() => service.output()).toContain('No space left on device');
  await run('running', 'drop table filler');
  await expect.poll(async () => (await send()).status, { timeout: 10_000 }).toBe(202);
});
