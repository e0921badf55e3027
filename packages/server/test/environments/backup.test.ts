import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { newInstallation } from '../backup/service.ts';
import {
  createApi,
  createTestOrganization,
  foreword,
  freePort,
  startDebianPostgres,
  startService,
} from '../harness/index.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';

// Runs the commands of docs/self-hosting/backups.md as they are written there.

const ROOT = path.join(import.meta.dirname, '../../../..');
const BIN = path.join(import.meta.dirname, '../../bin/foreword.mjs');
const POSTGRES_BIN = '/usr/lib/postgresql/15/bin';

const text = fs.readFileSync(path.join(ROOT, 'docs/self-hosting/backups.md'), 'utf8');
const blocks = [...text.matchAll(/^```(?:sh)?\n(.*?)^```$/gms)].map(([, code = '']) => code);

/** The block of commands that contains this text. */
function commandsWith(part: string): string {
  const found = blocks.filter((block) => block.includes(part));
  expect(found, part).toHaveLength(1);
  return found[0] ?? '';
}

const parent = temporaryFolder();
const programs = path.join(parent, 'bin');
fs.mkdirSync(programs);
fs.mkdirSync(path.join(parent, 'backups'));
const command = (args: string) => `#!/bin/sh\n${args}exec "${process.execPath}" "${BIN}" "$@"\n`;
fs.writeFileSync(path.join(programs, 'foreword'), command(''), { mode: 0o755 });
fs.writeFileSync(path.join(programs, 'npx'), command('[ "$1" = foreword ] && shift\n'), { mode: 0o755 });

/** Runs commands with the folders of the documentation replaced. */
const shell = (commands: string, environment: Record<string, string>, cwd = parent) =>
  promisify(execFile)(
    'sh',
    [
      '-ec',
      commands
        .replaceAll('/var/backups/foreword', path.join(parent, 'backups'))
        .replaceAll('/var/lib/foreword-restored', path.join(parent, 'restored'))
        .replaceAll('/var/lib/foreword', environment.DATA_DIR ?? ''),
    ],
    { cwd, env: { ...process.env, ...environment, PATH: `${programs}:${POSTGRES_BIN}:${process.env.PATH}` } },
  );

const event = {
  touchpoint: 'on_my_way',
  occurred_at: '2026-03-10T09:15:00Z',
  member: { external_id: 'rep_17' },
  recipient: { first_name: 'Dana', phone: '+15005550123' },
};

test('the documented commands back up, verify and restore the embedded database, even before the first video', async () => {
  const { environment } = newInstallation(parent, 'data');
  const service = await startService(environment);
  const { key } = await createTestOrganization(environment, service.url);
  const sent = await createApi(service.url, key).post('/v1/touchpoint-events', event, { key: 'crm:1:on_my_way' });
  expect(sent.status).toBe(202);
  const { stdout } = await shell(commandsWith('backup verify /var/backups'), environment);
  expect(stdout).toMatch(/monday\.tar is complete: .* with \d intros? and 0 objects/);
  // The line for cron, where % has to be escaped.
  const nightly = commandsWith('30 3 * * *').replace('30 3 * * * ', '').replaceAll('\\%', '%');
  await shell(nightly, environment);
  const later = await createApi(service.url, key).post('/v1/touchpoint-events', event, { key: 'crm:2:on_my_way' });
  expect(fs.readdirSync(path.join(parent, 'backups')).sort()).toEqual([
    'monday.tar',
    expect.stringMatching(/^nightly-/),
  ]);
  await service.stop();

  await shell(commandsWith('foreword restore'), environment);
  const restored = await startService({ ...environment, DATA_DIR: path.join(parent, 'restored') });
  const api = createApi(restored.url, key);
  expect((await api.get(`/v1/events/${sent.body.id}`)).status).toBe(200);
  // Created after the backup.
  expect((await api.get(`/v1/events/${later.body.id}`)).status).toBe(404);
  await restored.stop();
});

test('the documented commands back up your own database and its files, even before the first video', async () => {
  const port = await freePort();
  const server = await startDebianPostgres({ folder: path.join(parent, 'postgres'), port });
  const url = (name: string) => `postgres://foreword@127.0.0.1:${port}/${name}`;
  try {
    const create = (name: string) => shell(`psql --quiet '${url('postgres')}' --command 'create database ${name}'`, {});
    await create('before');
    const environment = { ...newInstallation(parent, 'own').environment, DATABASE_URL: url('before') };
    const service = await startService(environment);
    const { id } = await createTestOrganization(environment, service.url);
    const cwd = path.join(parent, 'saved');
    fs.mkdirSync(path.join(cwd, 'somewhere-safe'), { recursive: true });
    await shell(commandsWith('pg_dump --format=custom "$DATABASE_URL"'), environment, cwd);
    await service.stop();

    await create('after');
    const target = newInstallation(parent, 'own-restored');
    fs.mkdirSync(target.folder);
    await shell(
      `pg_restore --no-owner --dbname '${url('after')}' foreword.dump
      tar -C '${target.folder}' -xf foreword-objects.tar
      cp somewhere-safe/server.key '${target.folder}'`,
      {},
      cwd,
    );
    const after = { ...target.environment, DATABASE_URL: url('after') };
    const restored = await startService(after);
    expect((await foreword(after, 'org', 'list')).data).toMatchObject([{ id }]);
    await restored.stop();
  } finally {
    await server.stop();
  }
});
