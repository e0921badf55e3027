import { afterAll, describe, expect, test } from 'vitest';
import {
  createApi,
  foreword,
  forewordProgram,
  forFile,
  nextKey,
  runForeword,
  sleep,
  startService,
} from '../harness/index.ts';
import { makeDataDir } from './data-dir.ts';

const { dataDir, remove } = makeDataDir();
const environment = { DATA_DIR: dataDir, FOREWORD_DEMO: 'off' };
/** Commands promise to take effect on every node within a second. */
const PROPAGATION_LIMIT_MS = 1_000;

const run = (...args: string[]) => forewordProgram(environment, ...args);

const event = (touchpoint: string, member: object = { external_id: 'rep_17' }) => ({
  touchpoint,
  occurred_at: '2026-03-10T09:15:00Z',
  member,
  recipient: { first_name: 'Dana', phone: '+14155550123' },
});

/** Expects an error: one line on stderr, and nothing on stdout. */
async function refused(code: number, ...args: string[]): Promise<string> {
  const outcome = await runForeword(environment, ...args, '--json');
  expect(outcome).toMatchObject({ code, stdout: '' });
  expect(outcome.stderr).toMatch(/^foreword: [^\n]+\n$/);
  return outcome.stderr;
}

const service = await forFile(startService(environment), (opened) => opened.stop());
const { id: org } = await run('org', 'create', '--name', 'Acme Roofing', '--industry', 'exterior_remodeling');
await run(
  ...['member', 'create', '--org', org, '--first-name', 'Ana', '--last-name', 'Ng', '--email', 'ana@acme.example'],
  ...['--external-id', 'rep_17'],
);
const created = await run('key', 'create', '--org', org, '--name', 'Tests');
const keyId = created.id;
const api = createApi(service.url, created.key);

afterAll(async () => {
  remove();
});

describe('a create command', () => {
  test('prints the object, and a new key works at once', async () => {
    const created = await run('key', 'create', '--org', org);
    expect(created).toEqual({
      id: expect.stringMatching(/^key_[0-9a-z]{26}$/),
      object: 'api_key',
      organization: org,
      name: 'API key',
      ending: created.key.slice(-4),
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      revoked_at: null,
      expires_at: null,
      allowed_ips: [],
      scope: 'full',
      recording_links: false,
      agent_writes: false,
      key: expect.stringMatching(/^fw_test_[0-9A-Za-z]{30}$/),
    });
    expect((await createApi(service.url, created.key).get('/v1/touchpoints')).status).toBe(200);
  });

  test('is the only one that shows a key: lists do not', async () => {
    const { object, data, has_more } = await run('key', 'list', '--org', org);
    expect({ object, has_more }).toEqual({ object: 'list', has_more: false });
    expect(data.map((key: { id: string }) => key.id)).toContain(keyId);
    for (const key of data) expect(key).not.toHaveProperty('key');
  });

  test('gives an organization the starting touchpoints of its lanes', async () => {
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
      language: 'en',
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

  test('prints a member as the API presents it, with the role', async () => {
    const member = ['--first-name', 'Ben', '--last-name=Okafor', '--email', 'ben@acme.example'];
    const more = ['--phone', '+14155550118', '--external-id', 'rep_18', '--lane', 'retail', '--role', 'manager'];
    const created = await run('--org', org, 'member', 'create', ...member, ...more);
    const { body } = await api.get('/v1/members?external_id=rep_18');
    expect(created).toEqual({ ...body.data[0], role: 'manager', title: null, photo: null, notify: 'text' });
  });
});

describe('a change reaches the running service within a second', () => {
  test('a revoked key gets 401, and revoking it again keeps the first revocation time', async () => {
    const { id, key } = await run('key', 'create', '--org', org);
    const revokedApi = createApi(service.url, key);
    expect((await revokedApi.get('/v1/touchpoints')).status).toBe(200);
    const revoked = await run('key', 'revoke', id);
    expect(revoked).toMatchObject({ id, object: 'api_key', revoked_at: expect.any(String) });
    await expect
      .poll(async () => (await revokedApi.get('/v1/touchpoints')).status, { timeout: PROPAGATION_LIMIT_MS })
      .toBe(401);
    await sleep(20);
    expect(await run('key', 'revoke', id)).toEqual(revoked);
    expect((await api.get('/v1/touchpoints')).status).toBe(200);
  });

  test('events for a touchpoint are refused while it is turned off', async () => {
    const set = (...change: string[]) => run('touchpoint', 'set', '--org', org, 'project_update', ...change);
    const send = async () => (await api.post('/v1/touchpoint-events', event('project_update'))).body.error?.code;
    expect(await set('--active', 'false')).toMatchObject({ slug: 'project_update', active: false });
    await expect.poll(send, { timeout: PROPAGATION_LIMIT_MS }).toBe('touchpoint_not_found');
    const changed = await set('--active', 'true', '--name', 'Update', '--delivery', 'integration');
    expect(changed).toMatchObject({ object: 'touchpoint', active: true, name: 'Update', delivery: 'integration' });
    expect(Object.keys(changed)).toEqual(expect.arrayContaining(['id', 'lane', 'position', 'minutes_to_record']));
    await expect.poll(send, { timeout: PROPAGATION_LIMIT_MS }).toBeUndefined();
  });

  test('a deactivated member is no longer found', async () => {
    const args = ['--first-name', 'Cy', '--last-name', 'Lee', '--email', 'cy@acme.example'];
    const { id } = await run('member', 'create', '--org', org, ...args);
    const send = () => api.post('/v1/touchpoint-events', event('on_my_way', { id }), { key: nextKey() });
    expect((await send()).status).toBe(202);
    expect(await run('member', 'deactivate', id)).toMatchObject({ id, active: false });
    await expect
      .poll(async () => (await send()).body.error?.code, { timeout: PROPAGATION_LIMIT_MS })
      .toBe('member_not_found');
    const { data } = await run('member', 'list', '--org', org);
    expect(data.find((member: { id: string }) => member.id === id)).toMatchObject({ active: false });
  });
});

test('links start with the address of the service', async () => {
  const { url } = await run('signin', '--org', org, '--email', 'ana@acme.example');
  expect(url).toMatch(`${service.url}/console/signin/`);
  expect((await fetch(url)).status).toBe(200);
  const { body } = await api.post('/v1/intros', {
    member: { external_id: 'rep_17' },
    recipient: { first_name: 'Dana', phone: '+14155550123' },
  });
  const link = await run('intro', 'link', body.id);
  expect(link.url).toMatch(`${service.url}/r/`);
  expect((await fetch(link.url)).status).toBe(200);
});

test('member list prints all members, not one page', async () => {
  const { id } = await run('org', 'create', '--name', 'Many', '--industry', 'real_estate');
  const add = (n: number) =>
    foreword(
      ...([environment, 'member', 'create', '--org', id] as const),
      ...['--first-name', `M${n}`, '--last-name', 'X', '--email', 'one@many.example'],
    );
  // More than a page of 20.
  for (let n = 0; n < 21; n++) await add(n);
  const { data, has_more } = await run('member', 'list', '--org', id);
  expect([data.length, has_more]).toEqual([21, false]);
});

describe('a failed command prints one line, and changes nothing', () => {
  const ben = ['--first-name', 'Ben', '--last-name', 'O', '--email', 'ben@acme.example'];

  test('exits with 1 for unknown ids and taken external ids', async () => {
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

  test('exits with 2 for lanes in real estate', async () => {
    const { id } = await run('org', 'create', '--name', 'Homes', '--industry', 'real_estate');
    expect(await refused(2, 'member', 'create', '--org', id, ...ben, '--lane', 'retail')).toContain('--lane');
    expect((await run('member', 'list', '--org', id)).data).toEqual([]);
  });
});

test('a command does not start a second database or stop the running one', async () => {
  await run('org', 'list');
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
});

test('doctor finds no problem in a running service', async () => {
  const report = await foreword({ ...environment, PORT: new URL(service.url).port }, 'doctor');
  expect(report.object).toBe('doctor');
  // The embedded database may be older than the newest minor release.
  const notOk = report.checks.filter(({ status }: { status: string }) => status !== 'ok');
  expect(notOk.filter(({ name }: { name: string }) => name !== 'embedded database')).toEqual([]);
  expect(report.checks.map(({ name }: { name: string }) => name)).toEqual(
    expect.arrayContaining(['node', 'database', 'migrations', 'data folder', 'disk space', 'service']),
  );
});
