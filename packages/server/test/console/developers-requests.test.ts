import type { LoggedRequest } from '@foreword/contract';
import { expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { openTeam } from './team-fixture.ts';

const team = await forFile(openTeam());

const event = (changes: object = {}) => ({
  touchpoint: 'project_kickoff',
  occurred_at: '2026-03-10T09:15:00Z',
  member: { external_id: 'rep_17' },
  recipient: { first_name: 'Dana', phone: '+14155550123' },
  ...changes,
});

const list = async (query: Parameters<typeof ask>[0] = {}) => (await ask(query)).body.requests;
const ask = (query: object = {}) => team.manager.call('GET /requests', { query });
/** Requests are logged a moment later. */
const untilLogged = async (id: string | null): Promise<LoggedRequest> => {
  const find = async () => (await list({ request_id: id ?? '' }))[0];
  await expect.poll(find).toBeDefined();
  return (await find()) as LoggedRequest;
};

test('a request is logged with its key, time and created object, and with phone numbers masked', async () => {
  const { headers, body } = await team.organization.api.post('/v1/touchpoint-events', event());
  const seen = await untilLogged(headers.get('request-id'));
  expect(seen).toMatchObject({
    method: 'POST',
    path: '/v1/touchpoint-events',
    status: 202,
    error: null,
    object_id: body.id,
    key: { id: team.organization.keyId, name: 'Tests' },
  });
  expect(seen.duration_ms).toBeGreaterThan(0);
  const { body: detail } = await team.manager.call('GET /requests/{id}', { params: { id: seen.id } });
  expect(detail).toMatchObject({ answer: null, is_cut: false, query: null });
  expect(JSON.parse(detail.body ?? '').recipient).toEqual({ first_name: 'Dana', phone: '+1••••••••23' });
  expect(JSON.stringify(detail)).not.toContain(team.organization.key);
});

test('a rejected request shows its error code, field and response', async () => {
  const wrong = event({ recipient: { first_name: 'Dana', phone: '415-555-0123' } });
  const { headers } = await team.organization.api.post('/v1/touchpoint-events', wrong);
  const seen = await untilLogged(headers.get('request-id'));
  expect(seen).toMatchObject({ status: 422, error: 'validation_failed', object_id: null });
  const { body: detail } = await team.manager.call('GET /requests/{id}', { params: { id: seen.id } });
  expect(JSON.parse(detail.answer ?? '').error).toMatchObject({ field: 'recipient.phone' });
  expect(detail.body).not.toContain('555-0123');
});

test('a phone number in a path or query is masked', async () => {
  for (const path of ['/v1/intros/%2B14155550123', '/v1/intros?reference_id=%2B14155550123']) {
    const { headers } = await team.organization.api.get(path);
    const seen = await untilLogged(headers.get('request-id'));
    const { body: detail } = await team.manager.call('GET /requests/{id}', { params: { id: seen.id } });
    expect(JSON.stringify([seen, detail])).not.toContain('4155550123');
    expect(`${detail.path} ${detail.query}`).toContain('••23');
  }
});

test('filters of the request log can be combined, and show nothing of another organization', async () => {
  const { api } = team.organization;
  const { headers } = await api.get('/v1/intros?limit=7&reference_id=a');
  await untilLogged(headers.get('request-id'));
  const all = await list();
  const each = async (query: object, fits: (request: LoggedRequest) => boolean) => {
    expect(
      (await list(query)).map(({ id }) => id),
      JSON.stringify(query),
    ).toEqual(all.filter(fits).map(({ id }) => id));
  };
  await each({ method: 'GET' }, ({ method }) => method === 'GET');
  await each({ path: '/v1/touch' }, ({ path }) => path.startsWith('/v1/touch'));
  await each({ path: '/v1/%' }, () => false);
  await each({ status: '4xx' }, ({ status }) => status >= 400 && status < 500);
  await each({ status: '2xx', method: 'POST' }, ({ status, method }) => status < 300 && method === 'POST');
  await each({ error: 'validation_failed' }, ({ error }) => error === 'validation_failed');
  await each({ key: team.organization.keyId }, () => true);
  await each({ key: 'key_none' }, () => false);
  const [newest, oldest] = [all[0], all.at(-1)];
  await each({ object_id: oldest?.object_id ?? '' }, ({ object_id }) => object_id === oldest?.object_id);
  await each({ until: '2020-01-01T00:00:00Z' }, () => false);
  await each({ since: '2020-01-01T00:00:00Z' }, () => true);
  expect((await team.manager.call('GET /requests/{id}', { params: { id: newest?.id ?? '' } })).body.query).toBe(
    'limit=7&reference_id=a',
  );
  expect((await team.other.owner.call('GET /requests', { query: {} })).body.requests).toEqual([]);
  expect((await team.other.owner.call('GET /requests/{id}', { params: { id: newest?.id ?? '' } })).status).toBe(404);
});

test('pages have no gaps or duplicates, and say how many requests were not logged', async () => {
  const busy = await team.newOther();
  const { id, keyId } = busy.organization;
  await team.database
    .sql`insert into request_log (organization_id, environment, id, key_id, method, path, status, duration_ms, body_bytes, created_at)
     select ${id}, 'test', 'req_' || lpad(n::text, 26, '0'), ${keyId}, 'POST', '/v1/intros', 415, 1, 0, now() from generate_series(1, 130) n`;
  await team.database.sql`insert into request_log_gaps (organization_id, environment, hour, requests)
    values (${id}, 'test', date_trunc('hour', now()), 40)`;
  const ids: string[] = [];
  for (let before: string | null | undefined; before !== null; ) {
    const { body } = await busy.owner.call('GET /requests', { query: { ...(before !== undefined && { before }) } });
    expect(body.not_logged).toBe(40);
    ids.push(...body.requests.map((request) => request.id));
    before = body.next;
  }
  expect(ids).toHaveLength(130);
  expect(ids).toEqual([...new Set(ids)].sort().reverse());
});

test.each([
  [{ before: 'x' }, 'before'],
  [{ status: '3xx' }, 'status'],
  [{ since: 'yesterday' }, 'since'],
])('%j is rejected with its field', async (query, field) => {
  const { status, error } = await ask(query);
  expect([status, error.field]).toEqual([422, field]);
});

test('the request log offers the keys and the API’s error codes as filters', async () => {
  const { body } = await team.manager.call('GET /requests/choices');
  expect(body.keys).toEqual([
    { id: team.organization.keyId, name: 'Tests', ending: team.organization.key.slice(-4), is_revoked: false },
  ]);
  expect(body.error_codes).toContain('touchpoint_not_found');
  expect(body.error_codes).not.toContain('edit_conflict');
});
