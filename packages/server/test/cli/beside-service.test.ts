import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Api,
  createApi,
  foreword,
  forewordProgram,
  nextKey,
  runForeword,
  type Service,
  sleep,
  startService,
} from '../harness/index.ts';
import { makeDataDir } from './folder.ts';

const { dataDir, remove } = makeDataDir();
const environment = { DATA_DIR: dataDir, FOREWORD_DEMO: 'off' };
const PROMISED_MS = 1_000;
let service: Service;
let org: string;
let api: Api;
let keyId: string;

const run = (...args: string[]) => forewordProgram(environment, ...args);

const event = (touchpoint: string, member: object = { external_id: 'rep_17' }) => ({
  touchpoint,
  occurred_at: '2026-03-10T09:15:00Z',
  member,
  recipient: { first_name: 'Dana', phone: '+14155550123' },
});

/** Fails with a usage error or a failure: one line, nothing on stdout. */
async function refused(code: number, ...args: string[]): Promise<string> {
  const outcome = await runForeword(environment, ...args, '--json');
  expect(outcome).toMatchObject({ code, stdout: '' });
  expect(outcome.stderr).toMatch(/^foreword: [^\n]+\n$/);
  return outcome.stderr;
}

beforeAll(async () => {
  service = await startService(environment);
  ({ id: org } = await run('org', 'create', '--name', 'Acme Roofing', '--industry', 'exterior_remodeling'));
  await run(
    ...['member', 'create', '--org', org, '--first-name', 'Ana', '--last-name', 'Ng', '--email', 'ana@acme.example'],
    ...['--external-id', 'rep_17'],
  );
  const created = await run('key', 'create', '--org', org, '--name', 'Tests');
  keyId = created.id;
  api = createApi(service.url, created.key);
});

afterAll(async () => {
  await service.stop();
  remove();
});

describe('what is created', () => {
  it('is printed as the object it is, and the key works at once', async () => {
    const created = await run('key', 'create', '--org', org);
    expect(created).toEqual({
      id: expect.stringMatching(/^key_[0-9a-z]{26}$/),
      object: 'api_key',
      organization: org,
      name: 'API key',
      ending: created.key.slice(-4),
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      revoked_at: null,
      key: expect.stringMatching(/^fw_test_[0-9A-Za-z]{30}$/),
    });
    expect((await createApi(service.url, created.key).get('/v1/touchpoints')).status).toBe(200);
  });

  it('shows a key only once: no list has it', async () => {
    const { object, data, has_more } = await run('key', 'list', '--org', org);
    expect({ object, has_more }).toEqual({ object: 'list', has_more: false });
    expect(data.map((key: { id: string }) => key.id)).toContain(keyId);
    for (const key of data) expect(key).not.toHaveProperty('key');
  });

  it('is an organization with the starting touchpoints of its lanes', async () => {
    const created = await run(
      ...['org', 'create', '--name', 'Storm', '--industry', 'exterior_remodeling'],
      ...['--lane', 'insurance', '--timezone', 'America/Denver'],
    );
    expect(created).toEqual({
      id: expect.stringMatching(/^org_[0-9a-z]{26}$/),
      object: 'organization',
      name: 'Storm',
      industry: 'exterior_remodeling',
      lanes: ['insurance'],
      timezone: 'America/Denver',
      accent: null,
      office_phone: null,
      license: null,
      logo: null,
      created_at: expect.any(String),
    });
    const { data } = await run('touchpoint', 'list', '--org', created.id);
    const slugs = data.map(({ slug }: { slug: string }) => slug);
    expect(slugs).toContain('new_inspection');
    expect(slugs).not.toContain('new_appointment');
    expect((await run('org', 'list')).data[0]).toEqual(created);
  });

  it('is a member as the API presents it, with the role', async () => {
    const member = ['--first-name', 'Ben', '--last-name=Okafor', '--email', 'ben@acme.example'];
    const more = ['--phone', '+14155550118', '--external-id', 'rep_18', '--lane', 'retail', '--role', 'manager'];
    const created = await run('--org', org, 'member', 'create', ...member, ...more);
    const { body } = await api.get('/v1/members?external_id=rep_18');
    expect(created).toEqual({ ...body.data[0], role: 'manager', title: null, photo: null, notify: 'text' });
  });
});

describe('what is changed reaches the running service within a second', () => {
  it('answers 401 to a revoked key that it knew, and revoking again keeps the first time', async () => {
    const { id, key } = await run('key', 'create', '--org', org);
    const doomed = createApi(service.url, key);
    expect((await doomed.get('/v1/touchpoints')).status).toBe(200);
    const revoked = await run('key', 'revoke', id);
    expect(revoked).toMatchObject({ id, object: 'api_key', revoked_at: expect.any(String) });
    await expect.poll(async () => (await doomed.get('/v1/touchpoints')).status, { timeout: PROMISED_MS }).toBe(401);
    await sleep(20);
    expect(await run('key', 'revoke', id)).toEqual(revoked);
    expect((await api.get('/v1/touchpoints')).status).toBe(200);
  });

  it('refuses events for a touchpoint that was turned off, and takes them again', async () => {
    const set = (...change: string[]) => run('touchpoint', 'set', '--org', org, 'project_update', ...change);
    const send = async () => (await api.post('/v1/touchpoint-events', event('project_update'))).body.error?.code;
    expect(await set('--active', 'false')).toMatchObject({ slug: 'project_update', active: false });
    await expect.poll(send, { timeout: PROMISED_MS }).toBe('touchpoint_not_found');
    const changed = await set('--active', 'true', '--name', 'News', '--delivery', 'integration');
    expect(changed).toMatchObject({ object: 'touchpoint', active: true, name: 'News', delivery: 'integration' });
    expect(Object.keys(changed)).toEqual(expect.arrayContaining(['id', 'lane', 'position', 'days_to_record']));
    await expect.poll(send, { timeout: PROMISED_MS }).toBeUndefined();
  });

  it('finds a deactivated member no more', async () => {
    const args = ['--first-name', 'Cy', '--last-name', 'Lee', '--email', 'cy@acme.example'];
    const { id } = await run('member', 'create', '--org', org, ...args);
    const send = () => api.post('/v1/touchpoint-events', event('on_my_way', { id }), { key: nextKey() });
    expect((await send()).status).toBe(202);
    expect(await run('member', 'deactivate', id)).toMatchObject({ id, active: false });
    await expect.poll(async () => (await send()).body.error?.code, { timeout: PROMISED_MS }).toBe('member_not_found');
    const { data } = await run('member', 'list', '--org', org);
    expect(data.find((member: { id: string }) => member.id === id)).toMatchObject({ active: false });
  });
});

it('lists all members, not a page of them', async () => {
  const { id } = await run('org', 'create', '--name', 'Many', '--industry', 'real_estate');
  const add = (n: number) =>
    foreword(
      ...([environment, 'member', 'create', '--org', id] as const),
      ...['--first-name', `M${n}`, '--last-name', 'X', '--email', 'one@many.example'],
    );
  // More than the 20 of a page.
  for (let n = 0; n < 21; n++) await add(n);
  const { data, has_more } = await run('member', 'list', '--org', id);
  expect([data.length, has_more]).toEqual([21, false]);
});

describe('a refusal is one line, and changes nothing', () => {
  const ben = ['--first-name', 'Ben', '--last-name', 'O', '--email', 'ben@acme.example'];

  it('exits with 1 for what is not there or is taken', async () => {
    const before = [
      await run('org', 'list'),
      await run('member', 'list', '--org', org),
      await run('key', 'list', '--org', org),
    ];
    expect(await refused(1, 'member', 'create', '--org', 'org_none', ...ben)).toContain('org_none');
    expect(await refused(1, 'member', 'create', '--org', org, ...ben, '--external-id', 'rep_17')).toContain('rep_17');
    expect(await refused(1, 'member', 'deactivate', 'mem_none')).toContain('mem_none');
    expect(await refused(1, 'key', 'revoke', 'a\nb')).toContain('"a b"');
    expect(await refused(1, 'touchpoint', 'set', '--org', org, 'nope', '--active', 'false')).toContain('nope');
    const after = [
      await run('org', 'list'),
      await run('member', 'list', '--org', org),
      await run('key', 'list', '--org', org),
    ];
    expect(after).toEqual(before);
  });

  it('exits with 2 for lanes of a real-estate member', async () => {
    const { id } = await run('org', 'create', '--name', 'Homes', '--industry', 'real_estate');
    expect(await refused(2, 'member', 'create', '--org', id, ...ben, '--lane', 'retail')).toContain('--lane');
    expect((await run('member', 'list', '--org', id)).data).toEqual([]);
  });
});

it('starts no second database, and leaves the running one alone', async () => {
  await run('org', 'list');
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
});

it('doctor finds the running service well', async () => {
  const report = await foreword({ ...environment, PORT: new URL(service.url).port }, 'doctor');
  expect(report).toMatchObject({ object: 'doctor', status: 'ok' });
  expect(report.checks.map(({ name }: { name: string }) => name)).toEqual(
    expect.arrayContaining(['node', 'database', 'migrations', 'data folder', 'disk space', 'service']),
  );
});
