import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { createApi, errorOf, foreword, forewordProgram, forFile, startService, tryForeword } from '../harness/index.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';

const dataDir = path.join(temporaryFolder(), 'data');
const environment = { DATA_DIR: dataDir, FOREWORD_DEMO: 'off' };

const run = (...args: string[]) => foreword(environment, ...args);

const refused = async (...args: string[]) => errorOf(await tryForeword(environment, ...args, '--json'));

const service = await forFile(startService(environment), (opened) => opened.stop());
const { id: org } = await run('org', 'create', '--name', 'Acme Roofing', '--industry', 'exterior_remodeling');
await run(
  ...['member', 'create', '--org', org, '--first-name', 'Ana', '--last-name', 'Ng', '--email', 'ana@acme.example'],
  ...['--external-id', 'rep_17'],
);
const created = await run('key', 'create', '--org', org, '--name', 'Tests');
const keyId = created.id;
const api = createApi(service.url, created.key);

describe('a create command', () => {
  test('prints the object, and a new key works at once', async () => {
    const created = await forewordProgram(environment, 'key', 'create', '--org', org);
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

  test('prints a new organization as lists do', async () => {
    const options = ['--name', 'Storm', '--industry', 'exterior_remodeling', '--lane', 'insurance'];
    const created = await run('org', 'create', ...options);
    expect(created).toEqual({
      id: expect.stringMatching(/^org_[0-9a-z]{26}$/),
      ...{ object: 'organization', name: 'Storm', industry: 'exterior_remodeling', lanes: ['insurance'] },
      ...{ timezone: expect.any(String), language: 'en', created_at: expect.any(String) },
      ...{ accent: null, office_phone: null, license: null, logo: null },
    });
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

test('member list prints all members, not one page', async () => {
  const { id } = await run('org', 'create', '--name', 'Many', '--industry', 'real_estate');
  // More than a page of 20.
  for (let n = 0; n < 21; n++)
    await run(
      ...['member', 'create', '--org', id],
      ...['--first-name', `M${n}`, '--last-name', 'X', '--email', 'one@many.example'],
    );
  const { data, has_more } = await run('member', 'list', '--org', id);
  expect([data.length, has_more]).toEqual([21, false]);
});

describe('a failed command prints one line, and changes nothing', () => {
  const ben = ['--first-name', 'Ben', '--last-name', 'O', '--email', 'ben@acme.example'];

  test('exits with 1 for unknown ids and taken external ids', async () => {
    const readAll = async () => [
      ...[await run('org', 'list'), await run('member', 'list', '--org', org), await run('key', 'list', '--org', org)],
    ];
    const before = await readAll();
    expect(await refused('member', 'create', '--org', 'org_none', ...ben)).toContain('org_none');
    expect(await refused('member', 'create', '--org', org, ...ben, '--external-id', 'rep_17')).toContain('rep_17');
    for (const action of ['activate', 'deactivate'])
      expect(await refused('member', action, 'mem_none')).toContain('mem_none');
    expect(await refused('intro', 'show', 'int_none')).toContain('int_none');
    expect(await refused('key', 'revoke', 'a\nb')).toContain('"a b"');
    expect(await refused('touchpoint', 'set', '--org', org, 'nope', '--active', 'false')).toContain('nope');
    expect(await readAll()).toEqual(before);
  });
});

test('doctor finds one problem in a running service: real organizations need texts', async () => {
  const outcome = await tryForeword({ ...environment, PORT: new URL(service.url).port }, 'doctor', '--json');
  expect(outcome.code).toBe(1);
  const report = JSON.parse(outcome.stdout);
  expect(report.object).toBe('doctor');
  // The embedded database may be older than the newest minor release.
  const notOk = report.checks.filter(({ status }: { status: string }) => status !== 'ok' && status !== 'note');
  expect(notOk.filter(({ name }: { name: string }) => name !== 'embedded database')).toEqual([
    expect.objectContaining({ name: 'text messages', status: 'problem' }),
  ]);
  expect(report.checks.map(({ name }: { name: string }) => name)).toEqual(
    expect.arrayContaining(['node', 'database', 'migrations', 'data folder', 'disk space', 'service']),
  );
});
