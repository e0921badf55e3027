import { type SelectQueryBuilder, sql } from 'kysely';
import type { Queryable } from '../../../platform/db.ts';
import { idBound } from '../../../platform/ids.ts';
import type { RequestLogRow, Tables, Tenant } from '../../../tables.ts';
import { LOOKED_THROUGH } from './rules.ts';

export interface LogFilter {
  readonly method: string | undefined;
  readonly pathPrefix: string | undefined;
  readonly statusClass: '2xx' | '4xx' | '5xx' | undefined;
  readonly keyId: string | undefined;
  readonly errorCode: string | undefined;
  readonly requestId: string | undefined;
  readonly objectId: string | undefined;
  readonly since: Date | undefined;
  readonly until: Date | undefined;
  readonly before: string | undefined;
}

const ID = 'req';
const SHOWN = [
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

export type ListedRequest = Pick<RequestLogRow, (typeof SHOWN)[number]>;

const firstOf = (status: '2xx' | '4xx' | '5xx') => Number(status[0]) * 100;

/** The rows that a page looks through: those that keys of an index lead to, newest first. */
function within(db: Queryable<Tables>, tenant: Tenant, filter: LogFilter) {
  let query = db
    .selectFrom('request_log')
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment)
    .orderBy('id', 'desc');
  const { requestId, objectId, statusClass, errorCode, since, until, before } = filter;
  if (requestId !== undefined) query = query.where('id', '=', requestId);
  if (objectId !== undefined) query = query.where('object_id', '=', objectId);
  if (errorCode !== undefined || (statusClass !== undefined && statusClass !== '2xx')) {
    query = query.where(sql<boolean>`status >= 400`);
  }
  if (since !== undefined) query = query.where('id', '>=', idBound(ID, since));
  if (until !== undefined) query = query.where('id', '<', idBound(ID, until));
  if (before !== undefined) query = query.where('id', '<', before);
  return query;
}

type Candidates = SelectQueryBuilder<{ seen: RequestLogRow }, 'seen', Record<never, never>>;

/** And those of them that fit, which only reading them shows. */
function matching(candidates: Candidates, filter: LogFilter): Candidates {
  const { method, pathPrefix, statusClass, keyId, errorCode } = filter;
  let query = candidates;
  if (method !== undefined) query = query.where('method', '=', method);
  if (pathPrefix !== undefined) query = query.where(sql<boolean>`starts_with(path, ${pathPrefix})`);
  if (statusClass !== undefined) {
    const first = firstOf(statusClass);
    query = query.where('status', '>=', first).where('status', '<', first + 100);
  }
  if (keyId !== undefined) query = query.where('key_id', '=', keyId);
  if (errorCode !== undefined) query = query.where('error_code', '=', errorCode);
  return query;
}

export function listRequests(
  db: Queryable<Tables>,
  tenant: Tenant,
  filter: LogFilter,
  limit: number,
): Promise<ListedRequest[]> {
  const candidates = within(db, tenant, filter).selectAll().limit(LOOKED_THROUGH).as('seen');
  return matching(db.selectFrom(candidates), filter).select(SHOWN).orderBy('id', 'desc').limit(limit).execute();
}

/** The last row that a page looked through, when there is more behind it. */
export async function findEdge(
  db: Queryable<Tables>,
  tenant: Tenant,
  filter: LogFilter,
): Promise<Pick<RequestLogRow, 'id' | 'created_at'> | null> {
  const query = within(db, tenant, filter)
    .select(['id', 'created_at'])
    .offset(LOOKED_THROUGH - 1)
    .limit(1);
  return (await query.executeTakeFirst()) ?? null;
}

export async function findRequest(db: Queryable<Tables>, tenant: Tenant, id: string): Promise<RequestLogRow | null> {
  const row = await db
    .selectFrom('request_log')
    .selectAll()
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .executeTakeFirst();
  return row ?? null;
}

/** Of the hours that a span touches. */
export async function countNotKept(
  db: Queryable<Tables>,
  tenant: Tenant,
  { since, until }: Pick<LogFilter, 'since' | 'until'>,
): Promise<number> {
  let query = db
    .selectFrom('request_log_gaps')
    .select(sql<number>`coalesce(sum(requests), 0)::int`.as('n'))
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment);
  if (since !== undefined) query = query.where('hour', '>', sql<Date>`${since}::timestamptz - interval '1 hour'`);
  if (until !== undefined) query = query.where('hour', '<', until);
  return (await query.executeTakeFirstOrThrow()).n;
}
