import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeEach, expect, inject, test } from 'vitest';
import {
  asAdministrator,
  createTestOrganization,
  databaseUrl,
  forFile,
  type PoolMode,
  runForeword,
  runSql,
  startPgBouncer,
  startService,
} from '../harness/index.ts';
import { failToStart } from './failing-start.ts';

// The acceptance suite runs through PgBouncer with FOREWORD_TEST_DATABASE. This is about starting.

let direct: string;
let pooled: string;
let inSession: string;

const serverSocketDir = inject('socketDir');
const folder = fs.mkdtempSync(path.join(path.dirname(serverSocketDir), 'poolers-'));
fs.chmodSync(folder, 0o711);
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));
const open = (mode: PoolMode, poolSize: number) =>
  forFile(startPgBouncer({ folder: path.join(folder, mode), serverSocketDir, mode, poolSize }), (one) => one.stop());
const poolers = { transaction: await open('transaction', 4), session: await open('session', 30) };

// An empty database for each test.
beforeEach(async () => {
  const name = `pooled_${randomBytes(6).toString('hex')}`;
  await asAdministrator(`create database ${name}`);
  direct = databaseUrl(inject('socketDir'), name);
  pooled = databaseUrl(poolers.transaction.socketDir, name);
  inSession = databaseUrl(poolers.session.socketDir, name);
  return async () => void (await asAdministrator(`drop database ${name} with (force)`));
});

const REFUSAL = 'leads through a pooler in transaction mode';
const tables = () => runSql(direct, `select from pg_class where relnamespace = 'public'::regnamespace`);

test('a transaction pooler as the only address is refused by the service, a command and the doctor, and nothing is created', async () => {
  const environment = { DATABASE_URL: pooled };
  const { code, line } = await failToStart(environment);
  expect(code).toBe(78);
  expect(line).toMatch(
    new RegExp(
      `^cannot use the database at DATABASE_URL: it ${REFUSAL}.* Set DATABASE_DIRECT_URL to the address of Post`,
    ),
  );
  const command = await runForeword(environment, 'org', 'list');
  expect(command).toMatchObject({ code: 78, stdout: '' });
  expect(command.stderr).toContain(REFUSAL);
  const doctor = await runForeword(environment, 'doctor', '--json');
  expect(JSON.parse(doctor.stdout).checks).toContainEqual(
    expect.objectContaining({ name: 'database', status: 'problem', message: expect.stringContaining(REFUSAL) }),
  );
  expect(await tables()).toEqual([]);
});

test('a transaction pooler as the direct address is refused as well', async () => {
  const { code, line } = await failToStart({ DATABASE_URL: inSession, DATABASE_DIRECT_URL: pooled });
  expect(code).toBe(78);
  expect(line).toContain(`cannot use the database at DATABASE_DIRECT_URL: it ${REFUSAL}`);
});

test('a pooler that does not respond is named', async () => {
  const { code, line } = await failToStart({
    DATABASE_URL: databaseUrl('/nowhere', 'x'),
    DATABASE_DIRECT_URL: direct,
  });
  expect(code).toBe(1);
  expect(line).toMatch(/^cannot use the database at DATABASE_URL: connect ENOENT/);
});

test.each([
  ['transaction', () => ({ DATABASE_URL: pooled, DATABASE_DIRECT_URL: direct })],
  ['session', () => ({ DATABASE_URL: inSession })],
])('in %s mode the service starts again after a kill, and leaves no lock behind', async (_mode, read) => {
  const environment = { ...read(), FOREWORD_DEMO: 'off' };
  for (const end of ['kill', 'stop'] as const) {
    const service = await startService(environment);
    const { api } = await createTestOrganization(environment, service.url);
    expect((await api.get('/v1/touchpoints')).status).toBe(200);
    await service[end]();
  }
  const locks = `select from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`;
  expect(await runSql(direct, locks)).toEqual([]);
});

test('a pooler that hangs: 503, and ready again after it continues', async () => {
  const service = await startService({ DATABASE_URL: pooled, DATABASE_DIRECT_URL: direct, FOREWORD_DEMO: 'off' });
  try {
    const { api } = await createTestOrganization({ DATABASE_URL: direct }, service.url);
    const list = async () => (await api.get('/v1/touchpoints')).status;
    expect(await list()).toBe(200);
    process.kill(poolers.transaction.pid, 'SIGSTOP');
    expect([await list(), await list()]).toEqual([503, 503]);
    process.kill(poolers.transaction.pid, 'SIGCONT');
    await expect.poll(async () => (await fetch(`${service.url}/readyz`)).status).toBe(200);
    await expect.poll(list).toBe(200);
  } finally {
    process.kill(poolers.transaction.pid, 'SIGCONT');
    await service.stop();
  }
});
