import { expect, test } from 'vitest';
import { forFile, openService, tryForeword } from '../harness/index.ts';

const DAY_MS = 86_400_000;
const LINKS = ['--allow-recording-links', 'true'];

const fixture = await forFile(openService());

const key = (...args: string[]) => tryForeword(fixture.environment, 'key', ...args);

async function statusFrom(ip: string, secret: string): Promise<number> {
  const headers = { authorization: `Bearer ${secret}`, 'x-forwarded-for': ip };
  return (await fetch(`${fixture.service.url}/v1/touchpoints`, { headers })).status;
}

test('foreword key creates a key with an expiration and allowed networks, lists both, and changes them', async () => {
  const networks = ['--allow-ip', '203.0.113.0/24', '--allow-ip', '2001:db8::/32'];
  const created = await fixture.run('key', 'create', '--name', 'CRM', '--expires-in', '90d', ...networks);
  expect(created.allowed_ips).toEqual(['203.0.113.0/24', '2001:db8::/32']);
  const daysLeft = (Date.parse(created.expires_at) - Date.now()) / DAY_MS;
  expect(Math.round(daysLeft)).toBe(90);
  expect([await statusFrom('203.0.113.9', created.key), await statusFrom('192.0.2.1', created.key)]).toEqual([
    200, 401,
  ]);
  const { data } = await fixture.run('key', 'list');
  expect(data[0]).toMatchObject({ id: created.id, expires_at: created.expires_at, allowed_ips: created.allowed_ips });
  expect((await key('list')).stdout).toContain(
    `${created.expires_at.slice(0, 10)} ${created.expires_at.slice(11, 16)}Z`,
  );
  const changed = await fixture.run('key', 'set', created.id, '--expires-at', '2036-01-31T18:00:00Z', '--allow-ip', '');
  expect(changed).toMatchObject({ expires_at: '2036-01-31T18:00:00.000Z', allowed_ips: [] });
  await expect.poll(() => statusFrom('192.0.2.1', created.key)).toBe(200);
  expect(await fixture.run('key', 'set', created.id, '--expires-at', '')).toMatchObject({ expires_at: null });
});

test('foreword key creates a key with a scope, shows it in the list, and changes it', async () => {
  const plain = await fixture.run('key', 'create');
  expect(plain).toMatchObject({ scope: 'full', recording_links: false });
  const created = await fixture.run('key', 'create', '--scope', 'events');
  expect(created).toMatchObject({ scope: 'events', recording_links: false });
  expect((await key('list')).stdout).toMatch(new RegExp(`${created.id} .* events `));
  const intros = async () => {
    const headers = { authorization: `Bearer ${created.key}` };
    return (await fetch(`${fixture.service.url}/v1/intros`, { headers })).status;
  };
  expect(await intros()).toBe(403);
  const changed = await fixture.run('key', 'set', created.id, '--scope', 'full', '--allow-recording-links', 'true');
  expect(changed).toMatchObject({ scope: 'full', recording_links: true });
  await expect.poll(intros).toBe(200);
  // A narrower scope ends the permission, and a wider one does not bring it back.
  expect(await fixture.run('key', 'set', created.id, '--scope', 'read')).toMatchObject({ recording_links: false });
  expect(await fixture.run('key', 'set', created.id, '--scope', 'full')).toMatchObject({ recording_links: false });
});

test('foreword key lets agents change something only on request, shows it in the list, and ends it with the scope read', async () => {
  expect(await fixture.run('key', 'create')).toMatchObject({ agent_writes: false });
  const created = await fixture.run('key', 'create', '--scope', 'events', '--allow-agent-writes', 'true');
  expect(created).toMatchObject({ scope: 'events', agent_writes: true });
  expect((await key('list')).stdout).toMatch(new RegExp(`${created.id} .* events \\+agents `));
  expect(await fixture.run('key', 'set', created.id, '--scope', 'read')).toMatchObject({ agent_writes: false });
  expect((await key('list')).stdout).toMatch(new RegExp(`${created.id} .* read +2`));
});

test('foreword key rejects limits that make no sense with one line that names the option, and changes nothing', async () => {
  const { id } = await fixture.run('key', 'create');
  const { id: reader } = await fixture.run('key', 'create', '--scope', 'read');
  const before = (await fixture.run('key', 'list')).data;
  for (const [args, problem] of [
    [['create', '--expires-in', '90'], '--expires-in must be hours or days'],
    [['create', '--expires-at', '2020-01-01T00:00:00Z'], '--expires-at must be in the future'],
    [
      ['create', '--expires-at', '2036-01-01T00:00:00Z', '--expires-in', '1d'],
      'Use either --expires-in or --expires-at',
    ],
    [['set', id, '--allow-ip', 'office'], '"office" is neither'],
    [['create', '--scope', 'write'], '--scope must be one of full, events, read'],
    [['create', '--scope', 'read', ...LINKS], '--allow-recording-links is only for keys with the scope full'],
    [['set', reader, '--allow-agent-writes', 'true'], '--allow-agent-writes is not for keys with the scope read'],
    [['set', reader, ...LINKS], '--allow-recording-links is only for keys with the scope full'],
  ] as const) {
    const { code, stdout, stderr } = await key(...args);
    expect({ args, code, stdout, lines: stderr.split('\n').length }).toEqual({ args, code: 2, stdout: '', lines: 2 });
    expect(stderr).toContain(problem);
  }
  expect((await key('set', 'key_unknown', '--allow-ip', '')).code).toBe(1);
  expect((await fixture.run('key', 'list')).data).toEqual(before);
});

test('an organization has a limited number of active keys, in the command and in the API', async () => {
  const limited = await fixture.newOrganization();
  await fixture.database.sql`insert into api_keys (organization_id, environment, id, name, hash, ending, created_at)
    select ${limited.id}, 'test', 'key_' || n, 'Many', ('\\x' || lpad(n::text, 64, '0'))::bytea, 'abcd', now() from generate_series(1, 47) n`;
  const create = (...args: string[]) => key('create', '--org', limited.id, ...args, '--json');
  const [first, second] = await Promise.all([create(), create(), create(), create()]).then((made) => {
    expect(made.map(({ code }) => code).sort()).toEqual([0, 0, 1, 1]);
    for (const { code, stderr } of made)
      if (code !== 0) expect(stderr).toContain('has 50 active API keys, which is the limit. Revoke one first.');
    return made.filter(({ code }) => code === 0).map(({ stdout }) => JSON.parse(stdout).id);
  });
  await fixture.run('key', 'revoke', first);
  // An expired key does not count either.
  await fixture.database.sql`update api_keys set expires_at = now() - interval '1 second' where id = ${second}`;
  expect([(await create()).code, (await create()).code, (await create()).code]).toEqual([0, 0, 1]);
});
