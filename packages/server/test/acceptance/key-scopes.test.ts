import { expect, test } from 'vitest';
import { type Api, createApi, forFile } from '../harness/index.ts';
import { anIntro, expectError } from './support/actions.ts';
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
