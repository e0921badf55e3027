import { INTRO_STATUSES } from '@foreword/contract';
import { sql } from 'kysely';
import type { Queryable } from '../../platform/db.ts';
import type { IntroStatus, Tables, Tenant } from '../../tables.ts';
import { acrossTenants, forTenant } from '../../tenancy.ts';
import { type IntroQuery, type IntroRow, type IntroWithMember, selectIntros, withMembers } from '../store.ts';

export interface IntroFilter {
  limit: number;
  startingAfter: string | undefined;
  status: IntroStatus | undefined;
  memberId: string | undefined;
  referenceId: string | undefined;
}

/** The member index sorts by id within a status, so this reads the newest of each status and merges them. */
function selectByMember(db: Queryable<Tables>, tenant: Tenant, memberId: string, filter: IntroFilter): IntroQuery {
  const { startingAfter, limit } = filter;
  const before = startingAfter === undefined ? sql`` : sql`and id < ${startingAfter}`;
  const page = sql<IntroRow>`(
    select x.* from unnest(${[...INTRO_STATUSES]}::text[]) as s(status) cross join lateral (
      select * from intros
      where ${forTenant(db, tenant).owns()} and member_id = ${memberId} and status = s.status ${before}
      order by id desc limit ${sql.lit(limit)}
    ) x order by x.id desc limit ${sql.lit(limit)}
  )`;
  return acrossTenants(db).selectFrom(page.as('intros')).selectAll() as unknown as IntroQuery;
}

export function listIntros(db: Queryable<Tables>, tenant: Tenant, filter: IntroFilter): Promise<IntroWithMember[]> {
  const { startingAfter, status, memberId, referenceId } = filter;
  if (memberId !== undefined && status === undefined && referenceId === undefined) {
    return withMembers(db, selectByMember(db, tenant, memberId, filter)).execute();
  }
  let page = selectIntros(db, tenant, filter.limit).orderBy('id', 'desc');
  if (startingAfter !== undefined) page = page.where('id', '<', startingAfter);
  if (status !== undefined) page = page.where('status', '=', status);
  if (memberId !== undefined) page = page.where('member_id', '=', memberId);
  if (referenceId !== undefined) page = page.where('reference_id', '=', referenceId);
  return withMembers(db, page).execute();
}
