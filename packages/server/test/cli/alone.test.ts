import fs from 'node:fs';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createApi, databaseUrl, forewordProgram, runForeword, startService } from '../harness/index.ts';
import { makeDataDir } from './folder.ts';

const { dataDir, remove } = makeDataDir();
const environment = { DATA_DIR: dataDir, FOREWORD_DEMO: 'off' };
const postmasterFile = path.join(dataDir, 'pg18/postmaster.pid');
const createOrganization = (name: string) =>
  forewordProgram(environment, 'org', 'create', '--name', name, '--industry', 'real_estate');

afterAll(remove);

it('doctor makes no database where there is none', async () => {
  const report = await forewordProgram(environment, 'doctor');
  expect(report).toMatchObject({ object: 'doctor', status: 'warning' });
  expect(fs.existsSync(dataDir)).toBe(false);
});

it('starts the embedded database for the time of the command only, and what it made is there for the next', async () => {
  const created = await createOrganization('Alone');
  expect(fs.existsSync(postmasterFile)).toBe(false);
  expect((await forewordProgram(environment, 'org', 'list')).data).toEqual([created]);
  expect(fs.existsSync(postmasterFile)).toBe(false);
});

it('several commands at once share one database, and none is lost', async () => {
  const names = ['A', 'B', 'C', 'D'];
  await Promise.all(names.map(createOrganization));
  const { data } = await forewordProgram(environment, 'org', 'list');
  expect(data.map(({ name }: { name: string }) => name).sort()).toEqual(['A', 'Alone', 'B', 'C', 'D']);
});

it('works while a service starts and while it stops, and the service starts all the same', async () => {
  const [service, created] = await Promise.all([startService(environment), createOrganization('During start')]);
  const { key } = await forewordProgram(environment, 'key', 'create', '--org', created.id);
  expect((await createApi(service.url, key).get('/v1/touchpoints')).status).toBe(200);
  const [code, later] = await Promise.all([service.stop(), createOrganization('During stop')]);
  expect(code).toBe(0);
  const { data } = await forewordProgram(environment, 'org', 'list');
  expect(data.map(({ id }: { id: string }) => id)).toEqual(expect.arrayContaining([created.id, later.id]));
});

it('says for a person that a key is shown once, and prints the same facts', async () => {
  const { data } = await forewordProgram(environment, 'org', 'list');
  const { code, stdout, stderr } = await runForeword(environment, 'key', 'create', '--org', data[0].id);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^key: +fw_test_[0-9A-Za-z]{30}$/m);
  expect(stdout).toContain('shown only this once');
});

it('names a database that does not answer without its password, and exits with 1', async () => {
  const url = `${databaseUrl('/nowhere', 'x').replace(/\?.*/, '')}?host=/nowhere&password=hunter2`;
  const outcome = await runForeword({ DATABASE_URL: url }, 'org', 'list', '--json');
  expect(outcome).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^foreword: [^\n]*DATABASE_URL[^\n]*\n$/),
  });
  const doctor = await runForeword({ DATABASE_URL: url, DATA_DIR: dataDir }, 'doctor', '--json');
  expect(doctor.code).toBe(1);
  expect(JSON.parse(doctor.stdout).status).toBe('problem');
  expect(outcome.stderr + doctor.stdout + doctor.stderr).not.toContain('hunter2');
});
