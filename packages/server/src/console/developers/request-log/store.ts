/** Folder: collects, masks and stores API requests for the request log. */

import type { ConsoleQuery } from '@foreword/contract';
import { type SelectQueryBuilder, sql } from 'kysely';
import type pg from 'pg';
import { inputRows, planned } from '../../../db/statements.ts';
import { type Db, forTenant, type Row, type Tenant } from '../../../db/tenancy.ts';
import { idBound } from '../../../platform/ids.ts';
import { MAX_SCANNED } from './rules.ts';

/** The query of a search, with its times read. */
export type LogFilter = Omit<ConsoleQuery<'GET /requests'>, 'since' | 'until'> & {
  readonly since: Date | undefined;
  readonly until: Date | undefined;
};

const ID = 'req';
const LIST_COLUMNS = [
  'id',
  'method',
  'path',
  'status',
  'error_code',
  'duration_ms',
  'object_id',
  'key_id',
  'created_at',
] as const;

export type ListedRequest = Pick<Row<'request_log'>, (typeof LIST_COLUMNS)[number]>;

/** Candidate rows for one page, newest first: only conditions that an index supports. */
function selectCandidates(db: Db, tenant: Tenant, filter: LogFilter) {
  let query = forTenant(db, tenant).selectFrom('request_log').orderBy('id', 'desc');
  const { request_id, object_id, status, error, since, until, before } = filter;
  if (request_id !== undefined) query = query.where('id', '=', request_id);
  if (object_id !== undefined) query = query.where('object_id', '=', object_id);
  if (error !== undefined || (status !== undefined && status !== '2xx')) {
    query = query.where(sql<boolean>`status >= 400`);
  }
  if (since !== undefined) query = query.where('id', '>=', idBound(ID, since));
  if (until !== undefined) query = query.where('id', '<', idBound(ID, until));
  if (before !== undefined) query = query.where('id', '<', before);
  return query;
}

type Candidates = SelectQueryBuilder<{ scanned: Row<'request_log'> }, 'scanned', Record<never, never>>;

/** Filters the candidates by the conditions that no index supports. */
function matching(candidates: Candidates, filter: LogFilter): Candidates {
  const { method, path, status, key, error } = filter;
  let query = candidates;
  if (method !== undefined) query = query.where('method', '=', method);
  if (path !== undefined) query = query.where(sql<boolean>`starts_with(path, ${path})`);
  if (status !== undefined) {
    const first = Number(status[0]) * 100;
    query = query.where('status', '>=', first).where('status', '<', first + 100);
  }
  if (key !== undefined) query = query.where('key_id', '=', key);
  if (error !== undefined) query = query.where('error_code', '=', error);
  return query;
}

export function listRequests(db: Db, tenant: Tenant, filter: LogFilter, limit: number): Promise<ListedRequest[]> {
  const candidates = selectCandidates(db, tenant, filter).selectAll().limit(MAX_SCANNED).as('scanned');
  return matching(db.selectFrom(candidates), filter).select(LIST_COLUMNS).orderBy('id', 'desc').limit(limit).execute();
}

/** The last scanned row, when the scan stopped at its limit. */
export async function findLastScanned(
  db: Db,
  tenant: Tenant,
  filter: LogFilter,
): Promise<Pick<Row<'request_log'>, 'id' | 'created_at'> | null> {
  const query = selectCandidates(db, tenant, filter)
    .select(['id', 'created_at'])
    .offset(MAX_SCANNED - 1)
    .limit(1);
  return (await query.executeTakeFirst()) ?? null;
}

export async function findRequest(db: Db, tenant: Tenant, id: string): Promise<Row<'request_log'> | null> {
  const row = await forTenant(db, tenant).selectFrom('request_log').selectAll().where('id', '=', id).executeTakeFirst();
  return row ?? null;
}

/** Counts requests that were not logged, in every hour that overlaps the period. */
export async function countNotLogged(
  db: Db,
  tenant: Tenant,
  { since, until }: Pick<LogFilter, 'since' | 'until'>,
): Promise<number> {
  let query = forTenant(db, tenant)
    .selectFrom('request_log_gaps')
    .select(sql<number>`coalesce(sum(requests), 0)::int`.as('n'));
  if (since !== undefined) query = query.where('hour', '>', sql<Date>`${since}::timestamptz - interval '1 hour'`);
  if (until !== undefined) query = query.where('hour', '<', until);
  return (await query.executeTakeFirstOrThrow()).n;
}

/** The successful POST that created the object, if it is still logged. */
export async function findCreatingRequest(db: Db, tenant: Tenant, objectId: string, path: string) {
  const row = await forTenant(db, tenant)
    .selectFrom('request_log')
    .select(['id', 'method', 'path', 'body', 'created_at'])
    .where('object_id', '=', objectId)
    .where('method', '=', 'POST')
    .where('path', '=', path)
    .where('status', '<', 300)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}

export interface Gap {
  readonly organization_id: string;
  readonly environment: 'test';
  readonly hour: Date;
  readonly requests: number;
}

const COLUMNS = {
  organization_id: 'text',
  environment: 'text',
  id: 'text',
  key_id: 'text',
  method: 'text',
  path: 'text',
  query: 'text',
  status: 'smallint',
  error_code: 'text',
  duration_ms: 'real',
  body: 'text',
  body_bytes: 'integer',
  answer: 'text',
  object_id: 'text',
  created_at: 'timestamptz',
} as const satisfies Record<keyof Row<'request_log'>, string>;

const names = Object.keys(COLUMNS) as (keyof Row<'request_log'>)[];
const list = names.join(', ');
const GAPS = inputRows('s', { organization_id: 'text', environment: 'text', hour: 'timestamptz', requests: 'integer' });
const ROWS = inputRows('r', COLUMNS, GAPS.next);

/** A request about an erased intro or event, such as the replay of an old event, leaves no contents. */
const unlessErased = (name: string): string =>
  ['query', 'body', 'answer'].includes(name) ? `case when not object.is_erased then r.${name} end` : `r.${name}`;

/** Adds to the hour's count of gaps. The order prevents deadlocks between nodes. */
const WRITE = planned(`
with written as (
  insert into request_log (${list})
  select ${names.map(unlessErased).join(', ')}
  from ${ROWS.text}
  cross join lateral (
    select exists (
      select from intros where organization_id = r.organization_id and id = r.object_id and erasure_id is not null offset 0
    ) or exists (
      select from touchpoint_events
      where organization_id = r.organization_id and id = r.object_id and erasure_id is not null offset 0
    ) as is_erased offset 0
  ) object
  on conflict do nothing
)
insert into request_log_gaps as g (organization_id, environment, hour, requests)
select organization_id, environment, hour, requests
from ${GAPS.text}
order by organization_id, environment, hour
on conflict (organization_id, environment, hour) do update set requests = g.requests + excluded.requests`);

export async function writeLog(
  pool: pg.Pool,
  rows: readonly Row<'request_log'>[],
  gaps: readonly Gap[],
): Promise<void> {
  await pool.query(WRITE, [...GAPS.values(gaps), ...ROWS.values(rows)]);
}
