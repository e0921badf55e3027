import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  createRequestLog,
  maskBody,
  maskPhone,
  maskQuery,
  maskText,
} from '../../src/console/developers/request-log/collector.ts';
import {
  Budget,
  FAILURES_PER_SECOND,
  MAX_SCANNED,
  SUCCESSES_PER_SECOND,
} from '../../src/console/developers/request-log/rules.ts';
import {
  findLastScanned,
  type LogFilter,
  listRequests,
  writeLog,
} from '../../src/console/developers/request-log/store.ts';
import type { Row, Tenant } from '../../src/db/tenancy.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { newId } from '../../src/platform/ids.ts';
import { openTestPool } from '../db/fixture.ts';
import { forFile } from '../harness/index.ts';

const MANY = 60_000;
const EVERYTHING: LogFilter = { since: undefined, until: undefined };

const { database, db, newTenant } = await forFile(openTestPool({ keyedPlans: true }));
const tenant = await newTenant();

const rowAt = (at: Date, of: Tenant, changes: Partial<Row<'request_log'>> = {}): Row<'request_log'> => ({
  organization_id: of.organizationId,
  environment: of.environment,
  id: newId('req', at),
  key_id: 'key_1',
  method: 'POST',
  path: '/v1/touchpoint-events',
  query: null,
  status: 202,
  error_code: null,
  duration_ms: 4.25,
  body: '{"a":"\u2028, \\ and \\"quotes\\""}',
  body_bytes: 30,
  answer: null,
  object_id: null,
  created_at: at,
  ...changes,
});

const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);

test('a logged request is stored unchanged, and only once', async () => {
  const own = await newTenant();
  const row = rowAt(systemClock(), own, { answer: '{"error":{}}', object_id: 'int_1', query: 'a=b', error_code: 'x' });
  await writeLog(db.pool, [row], []);
  await writeLog(db.pool, [row], []);
  const found = await database.sql`select * from request_log where organization_id = ${own.organizationId}`;
  expect(found).toEqual([row]);
});

test('every filter reports where a limited scan of many requests stopped', async () => {
  await database.sql`insert into request_log (organization_id, environment, id, key_id, method, path, status, error_code, duration_ms, body_bytes, object_id, created_at)
     select ${tenant.organizationId}, 'test', 'req_' || lpad(n::text, 26, '0'), 'key_' || n % 7, 'POST', '/v1/intros', case n % 50 when 0 then 422 else 201 end,
       case n % 50 when 0 then 'validation_failed' end, 3, 100, 'int_' || n, now() - interval '1 hour'
     from generate_series(1, ${MANY}::int) n`;
  await database.query('analyze request_log');
  const searches: Partial<LogFilter>[] = [
    {},
    { key: 'key_3' },
    { key: 'key_none' },
    { path: '/v1/nothing' },
    { status: '4xx' },
    { status: '5xx' },
    { error: 'validation_failed' },
    { object_id: 'int_17' },
    { request_id: `req_${'17'.padStart(26, '0')}` },
  ];
  for (const search of searches) {
    const filter = { ...EVERYTHING, ...search };
    const rows = await listRequests(db.kysely, tenant, filter, 51);
    const last = await findLastScanned(db.kysely, tenant, filter);
    const isBounded =
      search.object_id === undefined && search.request_id === undefined && !search.status && !search.error;
    expect(last !== null, JSON.stringify(search)).toBe(isBounded);
    expect(idsOf(rows)).toEqual(idsOf(rows).toSorted().reverse());
  }
  // Continuing from each stop reaches the end.
  let filter: LogFilter | null = { ...EVERYTHING, path: '/v1/nothing' };
  let pages = 0;
  while (filter !== null) {
    expect(await listRequests(db.kysely, tenant, filter, 51)).toEqual([]);
    const last = await findLastScanned(db.kysely, tenant, filter);
    filter = last && { ...filter, before: last.id };
    pages += 1;
  }
  expect(pages).toBe(Math.floor(MANY / MAX_SCANNED) + 1);
});

test('the request log has a limit per second and organization, which is higher for failures', () => {
  const budget = new Budget();
  const count = (organization: string, failed: boolean, atMs: number) =>
    Array.from({ length: 500 }, () => budget.admits(organization, failed, atMs)).filter(Boolean).length;
  expect(count('a', false, 1_000)).toBe(SUCCESSES_PER_SECOND);
  expect(count('a', true, 1_500)).toBe(FAILURES_PER_SECOND);
  expect(count('b', false, 1_999)).toBe(SUCCESSES_PER_SECOND);
  expect(count('a', false, 1_999)).toBe(0);
  expect(count('a', false, 2_000)).toBe(SUCCESSES_PER_SECOND);
});

test('requests beyond the limit per second are counted, and the others are logged', async () => {
  const own = await newTenant();
  type Hook = (request: object, reply: object, done: () => void) => void;
  const hooks: Hook[] = [];
  const requestLog = createRequestLog({
    connection: { connectionString: database.url },
    clock: systemClock,
    log: { warn: () => undefined } as never,
  });
  requestLog.watch({ addHook: (_name: string, hook: Hook) => hooks.push(hook) } as never);
  const sent = 4 * SUCCESSES_PER_SECOND;
  for (let n = 0; n < sent; n++) {
    const state = { caller: { ...own, keyId: 'key_1' }, startedMs: performance.now() };
    const request = { state, id: newId('req', systemClock()), method: 'GET', url: '/v1/touchpoints', params: {} };
    hooks[0]?.(request, { statusCode: 200 }, () => undefined);
  }
  await requestLog.stop();
  const [found] = await database.sql<{ logged: number; counted: number }>`
    select (select count(*) from request_log where organization_id = ${own.organizationId})::int as logged,
       (select sum(requests) from request_log_gaps where organization_id = ${own.organizationId})::int as counted`;
  expect((found?.logged ?? 0) + (found?.counted ?? 0)).toBe(sent);
  expect(found?.logged).toBeGreaterThanOrEqual(SUCCESSES_PER_SECOND);
  expect(found?.counted).toBeGreaterThan(0);
});

test('a masked phone number keeps its last two digits', () => {
  expect(maskPhone('+14155550123')).toBe('+•••••••••23');
  expect(maskPhone('+1 (415) 555-0123')).toBe('+• (•••) •••-••23');
  expect(maskPhone('+4915112345678')).toBe('+•••••••••••78');
  expect(maskPhone('+351912345678')).toBe('+••••••••••78');
  expect(maskPhone('(415) 555-0123')).toBe('(•••) •••-••23');
});

test('masking changes only the phone numbers of a body', () => {
  const body =
    '{ "recipient": {"first_name":"Dana", "phone":"+14155550123"},\n "metadata": {"note":"call (415) 555-0188"} }';
  expect(maskBody(body)).toBe(
    '{ "recipient": {"first_name":"Dana", "phone":"+•••••••••23"},\n "metadata": {"note":"call (•••) •••-••88"} }',
  );
});

test.each([
  ['digits only', '{"recipient":{"phone":"4155550123"}}'],
  ['a JSON number', '{"recipient":{"phone":4155550123}}'],
  ['an unknown name', '{"recipient":{"whats":"4155550123"}}'],
  ['escapes', '{"recipient":{"phone":"\\u002b1415\\u00355550123"}}'],
  ['truncated JSON', '{"recipient":{"phone":"+14155550123'],
  ['a form', 'recipient[phone]=%2B14155550123'],
  ['a list', '{"phones":["+14155550123","4155550123"]}'],
])('a body with %s contains no phone number after masking', (_what, body) => {
  const masked = maskBody(body);
  expect(masked).not.toMatch(/5550123|5555|55501|4155/);
  expect(masked).toMatch(/•••••/);
});

test('ids, times and amounts are not masked', () => {
  const body =
    '{"reference":{"id":"0061234567890"},"occurred_at":"2026-03-10T09:15:00-05:00","metadata":{"amount":12500}}';
  expect(maskBody(body)).toBe(body);
});

test('secrets are removed from URLs, fields and headers', () => {
  const body =
    '{"url":"https://ana:hunter2@crm.acme.example/x","secret":"whsec_abcdef","metadata":{"key":"fw_test_0123456789abcdefghijABCDEFGHIJ"},"api_key":"x1"}';
  const masked = maskBody(body);
  for (const secret of ['hunter2', 'whsec_abcdef', 'fw_test_0123', 'x1"']) expect(masked).not.toContain(secret);
  expect(maskText('Bearer abc.def')).toBe('[removed]');
  expect(maskQuery('starting_after=int_1&token=abc&phone=%2B14155550123')).toBe(
    'starting_after=int_1&token=[removed]&phone=+•••••••••23',
  );
});

test.each(['eu1', 'europe1', 'e'])('a key that names the installation %s is masked as a whole', (cell) => {
  const random = '0123456789abcdefghijABCDEFGHIJ';
  const masked = maskBody(`{"metadata":{"note":"fw_test_${cell}_${random}"}}`);
  expect(masked).not.toContain('fw_test_');
  expect(masked).not.toContain(random.slice(0, 6));
});

test('masking ends for a large hostile text, and never leaves a phone number', () => {
  // Four times the limit of a body: quadratic time would take minutes.
  const hostile = [
    '"'.repeat(240_000),
    '\\"'.repeat(120_000),
    '1'.repeat(240_000),
    '+1 '.repeat(80_000),
    '{"a":'.repeat(48_000),
  ];
  for (const text of hostile) {
    maskBody(`{${text}`);
    maskBody(text);
  }
  fc.assert(
    fc.property(fc.json(), fc.string(), (json, name) => {
      const body = `{"first":${json},${JSON.stringify(name)}:"+14155550123"}`;
      expect(maskBody(body)).not.toContain('4155550123');
    }),
  );
});
