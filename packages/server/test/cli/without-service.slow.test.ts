import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import {
  createApi,
  databaseUrl,
  forewordProgram,
  isLong,
  logLines,
  runForeword,
  startService,
} from '../harness/index.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';

const dataDir = path.join(temporaryFolder(), 'data');
const environment = { DATA_DIR: dataDir, FOREWORD_DEMO: 'off' };
const postmasterFile = path.join(dataDir, 'pg18/postmaster.pid');
const createOrganization = (name: string) =>
  forewordProgram(environment, 'org', 'create', '--name', name, '--industry', 'real_estate');

test('the first start creates a database, and a clean stop logs no warning, even if the database ends its connections first', async () => {
  for (let round = 0; round < (isLong ? 4 : 2); round++) {
    const service = await startService(environment);
    expect(await service.stop()).toBe(0);
    expect(fs.existsSync(postmasterFile)).toBe(false);
    const warnings = logLines<{ level: string; msg: string }>(service).filter(({ level }) => level !== 'info');
    // Depends on the machine.
    expect(warnings.filter(({ msg }) => !msg.startsWith('isolation of'))).toEqual([]);
  }
});

test('a command starts the embedded database only while it runs, and its changes persist', async () => {
  const created = await createOrganization('Alone');
  expect(fs.existsSync(postmasterFile)).toBe(false);
  expect((await forewordProgram(environment, 'org', 'list')).data).toEqual([created]);
  expect(fs.existsSync(postmasterFile)).toBe(false);
});

test('several commands at once share one database, and no change is lost', async () => {
  const names = ['A', 'B', 'C', 'D'];
  await Promise.all(names.map(createOrganization));
  const { data } = await forewordProgram(environment, 'org', 'list');
  expect(data.map(({ name }: { name: string }) => name).sort()).toEqual(['A', 'Alone', 'B', 'C', 'D']);
});

test('a command works while a service starts or stops, and does not prevent it from starting', async () => {
  const [service, created] = await Promise.all([startService(environment), createOrganization('During start')]);
  const { key } = await forewordProgram(environment, 'key', 'create', '--org', created.id);
  expect((await createApi(service.url, key).get('/v1/touchpoints')).status).toBe(200);
  const [code, later] = await Promise.all([service.stop(), createOrganization('During stop')]);
  expect(code).toBe(0);
  const { data } = await forewordProgram(environment, 'org', 'list');
  expect(data.map(({ id }: { id: string }) => id)).toEqual(expect.arrayContaining([created.id, later.id]));
});

test('text output shows a new key, and says that it is shown only once', async () => {
  const { data } = await forewordProgram(environment, 'org', 'list');
  const { code, stdout, stderr } = await runForeword(environment, 'key', 'create', '--org', data[0].id);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^key: +fw_test_[0-9A-Za-z]{30}$/m);
  expect(stdout).toContain('shown only this once');
});

test('an unreachable database is reported without its password, with exit code 1', async () => {
  const url = `${databaseUrl('/nowhere', 'x').replace(/\?.*/, '')}?host=/nowhere&password=hunter2`;
  const outcome = await runForeword({ DATABASE_URL: url }, 'org', 'list', '--json');
  expect(outcome).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^\{"error":[^\n]*DATABASE_URL[^\n]*\n$/),
  });
  const doctor = await runForeword({ DATABASE_URL: url, DATA_DIR: dataDir }, 'doctor', '--json');
  expect(doctor.code).toBe(1);
  expect(JSON.parse(doctor.stdout).status).toBe('problem');
  expect(outcome.stderr + doctor.stdout + doctor.stderr).not.toContain('hunter2');
});
