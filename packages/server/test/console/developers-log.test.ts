import { afterAll, beforeAll, expect, test } from 'vitest';
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
import { createOrganization, testTenant } from '../../src/organizations/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { type Database, openDatabase } from '../../src/platform/db.ts';
import { idBound, newId } from '../../src/platform/ids.ts';
import { sweepRetention } from '../../src/retention/index.ts';
import type { RequestLogRow, Tables, Tenant } from '../../src/tables.ts';
import { createTestDatabase, type TestDatabase } from '../harness/index.ts';

const DAY_MS = 86_400_000;
const MANY = 60_000;
const EVERYTHING: LogFilter = {
  method: undefined,
  pathPrefix: undefined,
  statusClass: undefined,
  keyId: undefined,
  errorCode: undefined,
  requestId: undefined,
  objectId: undefined,
  since: undefined,
  until: undefined,
  before: undefined,
};

let database: TestDatabase;
let db: Database<Tables>;
let tenant: Tenant;
beforeAll(async () => {
  database = await createTestDatabase();
  const options = { max: 3, name: 'test', keyedPlans: true, onError: () => undefined };
  db = openDatabase<Tables>({ connectionString: database.url }, options);
  tenant = await newTenant();
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

async function newTenant(): Promise<Tenant> {
  const organization = {
    name: 'Acme',
    industry: 'exterior_remodeling',
    lanes: [],
    timezone: 'America/Chicago',
  } as const;
  const create = db.kysely.transaction();
  const { id } = await create.execute((tx) => createOrganization(tx, systemClock, { ...organization, lanes: [] }));
  return testTenant(id);
}

const rowAt = (at: Date, of: Tenant, changes: Partial<RequestLogRow> = {}): RequestLogRow => ({
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

test('requests and counts of unlogged requests are deleted after seven days', async () => {
  const own = await newTenant();
  const now = systemClock();
  const [old, young] = [new Date(now.getTime() - 7.1 * DAY_MS), new Date(now.getTime() - 6.9 * DAY_MS)];
  const gap = (hour: Date) => ({
    organization_id: own.organizationId,
    environment: own.environment,
    hour,
    requests: 2,
  });
  const kept = rowAt(young, own);
  const id = `${idBound('req', old)}${'0'.repeat(16)}`;
  await writeLog(db.pool, [rowAt(old, own, { id }), kept], [gap(old), gap(young)]);
  await writeLog(db.pool, [], [gap(young)]);
  await sweepRetention({ db, clock: systemClock }, ['requests']);
  expect(idsOf(await listRequests(db.kysely, own, EVERYTHING, 10))).toEqual([kept.id]);
  const gaps = await database.query('select requests from request_log_gaps where organization_id = $1', [
    own.organizationId,
  ]);
  expect(gaps).toEqual([{ requests: 4 }]);
});

test('a logged request is stored unchanged, and only once', async () => {
  const own = await newTenant();
  const row = rowAt(systemClock(), own, { answer: '{"error":{}}', object_id: 'int_1', query: 'a=b', error_code: 'x' });
  await writeLog(db.pool, [row], []);
  await writeLog(db.pool, [row], []);
  const found = await database.query('select * from request_log where organization_id = $1', [own.organizationId]);
  expect(found).toEqual([row]);
});

test('ids are ordered by time', () => {
  const at = systemClock();
  const id = newId('req', new Date(at.getTime() + 1000));
  expect(id > idBound('req', at)).toBe(true);
  expect(id < idBound('req', new Date(at.getTime() + 60_000))).toBe(true);
});

test('every filter responds quickly on many requests, and reports where a limited scan stopped', async () => {
  await database.query(
    `insert into request_log (organization_id, environment, id, key_id, method, path, status, error_code, duration_ms, body_bytes, object_id, created_at)
     select $1, 'test', 'req_' || lpad(n::text, 26, '0'), 'key_' || n % 7, 'POST', '/v1/intros', case n % 50 when 0 then 422 else 201 end,
       case n % 50 when 0 then 'validation_failed' end, 3, 100, 'int_' || n, now() - interval '1 hour'
     from generate_series(1, $2::int) n`,
    [tenant.organizationId, MANY],
  );
  await database.query('analyze request_log');
  const searches: Partial<LogFilter>[] = [
    {},
    { keyId: 'key_3' },
    { keyId: 'key_none' },
    { pathPrefix: '/v1/nothing' },
    { statusClass: '4xx' },
    { statusClass: '5xx' },
    { errorCode: 'validation_failed' },
    { objectId: 'int_17' },
    { requestId: `req_${'17'.padStart(26, '0')}` },
  ];
  for (const search of searches) {
    const filter = { ...EVERYTHING, ...search };
    await listRequests(db.kysely, tenant, filter, 51);
    const begun = performance.now();
    const rows = await listRequests(db.kysely, tenant, filter, 51);
    const last = await findLastScanned(db.kysely, tenant, filter);
    expect(performance.now() - begun, JSON.stringify(search)).toBeLessThan(1_000);
    const isBounded =
      search.objectId === undefined && search.requestId === undefined && !search.statusClass && !search.errorCode;
    expect(last !== null, JSON.stringify(search)).toBe(isBounded);
    expect(idsOf(rows)).toEqual(idsOf(rows).toSorted().reverse());
  }
  // Continuing from each stop reaches the end.
  const filter = { ...EVERYTHING, pathPrefix: '/v1/nothing' };
  let before: string | undefined;
  let pages = 0;
  do {
    expect(await listRequests(db.kysely, tenant, { ...filter, before }, 51)).toEqual([]);
    before = (await findLastScanned(db.kysely, tenant, { ...filter, before }))?.id;
    pages += 1;
  } while (before !== undefined);
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
