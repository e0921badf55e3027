import { describe, expect, test } from 'vitest';
import { type Api, createApi, forFile } from '../harness/index.ts';
import { anIntro, eventually, expectError } from './support/actions.ts';
import { openService } from './support/service.ts';

const SCOPES = ['full', 'events', 'read'] as const;
type Scope = (typeof SCOPES)[number];

/** The operations of keys with the scope `events`. Every other operation is closed to them. */
const FOR_EVENTS = [
  'POST /v1/touchpoint-events',
  'GET /v1/events',
  'GET /v1/events/{id}',
  'POST /v1/events/{id}/retry',
  'GET /v1/touchpoints',
  'GET /v1/touchpoints/{id}',
  'POST /v1/dry_run',
];
/** The operations of keys with the scope `read`. */
const isRead = (name: string): boolean => name.startsWith('GET ') || name === 'POST /v1/dry_run';

const newKey = (...options: string[]): Promise<{ id: string; key: string }> =>
  fixture.run('key', 'create', '--org', fixture.organization.id, '--name', 'Scoped', ...options);

const apiOf = (key: string): Api => fixture.published.checked(createApi(fixture.service.url, key));

const fixture = await forFile(openService());
const [full, events, read] = await Promise.all(
  SCOPES.map(async (scope) => {
    const permissions = scope === 'full' ? ['--allow-recording-links', 'true'] : [];
    return apiOf((await newKey('--scope', scope, ...permissions)).key);
  }),
);
if (!full || !events || !read) throw new Error('no keys');
const apis = { full, events, read };

const operations = () =>
  Object.entries(fixture.published.document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
  );

const allowed = (name: string): Scope[] =>
  SCOPES.filter((scope) => scope === 'full' || (scope === 'read' ? isRead(name) : FOR_EVENTS.includes(name)));

test('each operation works with the keys of its scopes, and is 403 with every other, before anything else is checked', async () => {
  for (const { name } of operations()) {
    const [method = '', path = ''] = name.split(' ');
    for (const scope of SCOPES) {
      // No Idempotency-Key, an unknown parameter and an unknown id: all of that is checked later.
      const reply = await apis[scope].raw(method, `${path.replace('{id}', 'x')}?unknown=1`);
      if (allowed(name).includes(scope))
        expect({ name, scope, status: reply.status }).toEqual({ name, scope, status: 422 });
      else {
        expectError(reply, 403, 'forbidden');
        const { message } = reply.body.error;
        expect(message).toContain(`has the scope "${scope}"`);
        for (const needed of allowed(name)) expect(message).toContain(`"${needed}"`);
      }
    }
  }
});

test('the reference lists the scopes of each operation, and its 403', () => {
  for (const { name, operation } of operations()) {
    expect({ name, scopes: operation['x-key-scopes'] }).toEqual({ name, scopes: allowed(name) });
    for (const scope of allowed(name)) expect(operation.description).toContain(`\`${scope}\``);
    expect(Object.keys(operation.responses)).toContain('403');
  }
});

test('a 403 stores nothing, and the same Idempotency-Key works with another key', async () => {
  const body = anIntro({ reference: { id: 'scoped' } });
  const listed = async () => (await apis.read.get('/v1/intros?reference_id=scoped')).body.data.length;
  for (const scope of ['events', 'read'] as const) {
    expectError(await apis[scope].post('/v1/intros', body, { key: 'scoped' }), 403, 'forbidden');
  }
  expect(await listed()).toBe(0);
  expect((await apis.full.post('/v1/intros', body, { key: 'scoped' })).status).toBe(201);
  // A replay would return the intro to a key that may not create one.
  expectError(await apis.read.post('/v1/intros', body, { key: 'scoped' }), 403, 'forbidden');
  expect(await listed()).toBe(1);
});

describe('a key', () => {
  test('is fw_test_ plus 30 letters and digits, and works as soon as the command that created it returns', async () => {
    const { key } = await newKey();
    expect(key).toMatch(/^fw_test_[0-9A-Za-z]{30}$/);
    expect((await apiOf(key).get('/v1/touchpoints')).status).toBe(200);
  });

  test('that is missing or wrong is 401 on every operation, before anything else is checked', async () => {
    const everyOne = operations().map(({ name }) => name.replace('{id}', 'x').split(' '));
    expect(everyOne.length).toBeGreaterThanOrEqual(9);
    const { key } = fixture.organization;
    const mistyped = `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`;
    const wrong = [
      ...['', 'Bearer', 'Bearer ', 'Bearer nothing', 'Bearer \u00ff', `Bearer ${'a'.repeat(8_000)}`],
      ...[key, `Basic ${key}`, `Bearer ${key} ${key}`, `Bearer ${key}x`, `Bearer ${key.slice(0, -1)}`],
      ...[mistyped, key.toUpperCase(), key.replace('fw_test_', 'FW_TEST_'), key.slice(8)].map((one) => `Bearer ${one}`),
      `Bearer ${key.replace('fw_test_', 'fw_live_')}`,
    ];
    for (const [at, [method = '', path]] of everyOne.entries()) {
      // Every form at the first operations, and some at the others.
      for (const authorization of at < 4 ? wrong : wrong.slice(0, 4)) {
        const headers = { authorization, 'content-type': 'text/plain' };
        const body = method === 'POST' ? { body: '{' } : {};
        expectError(await fixture.api.raw(method, `${path}?limit=0`, { headers, ...body }), 401, 'unauthorized');
      }
    }
    const bare = await fetch(`${fixture.service.url}/v1/intros`);
    expect([bare.status, await bare.json()]).toEqual([
      401,
      { error: { code: 'unauthorized', message: expect.any(String) } },
    ]);
  });

  test('that is wrong or revoked is 401 with the reason, and other keys keep working', async () => {
    const { key, id } = await newKey();
    const messageOf = async (wrong: string) => (await apiOf(wrong).get('/v1/touchpoints')).body.error.message;
    const other = key.endsWith('0') ? '1' : '0';
    for (const [wrong, message] of [
      ['sk_test_4eC39HqLyjWDarjtT1zdp7dc', /not a Foreword key.*fw_test_/],
      ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', /not a Foreword key.*fw_test_/],
      [key.replace('fw_test_', 'fw_live_'), /live key.*test/],
      [key.slice(0, -1) + other, /typo or is incomplete/],
      [key.slice(0, -3), /typo or is incomplete/],
      ['fw_test_', /typo or is incomplete/],
    ] as const)
      expect([wrong, await messageOf(wrong)]).toEqual([wrong, expect.stringMatching(message)]);
    await fixture.run('key', 'revoke', id);
    await eventually(async () => /revoked or never existed/.test((await messageOf(key)) ?? ''));
    expect((await fixture.api.get('/v1/touchpoints')).status).toBe(200);
  });
});
