import { INTRO_STATUSES } from '@foreword/contract';
import { sql } from 'kysely';
import type { Queryable } from '../platform/db.ts';
import type { IntroStatus, Tables, Tenant } from '../tables.ts';
import { type IntroQuery, type IntroRow, type IntroWithMember, ownIntros, withMembers } from './store.ts';

export interface IntroFilter {
  limit: number;
  startingAfter: string | undefined;
  status: IntroStatus | undefined;
  memberId: string | undefined;
  referenceId: string | undefined;
}

/**
 * Of one member, whatever the status: their index has the order of ids within a status, so each is read by itself and the
 * beginnings are put together.
 */
function ofMember(db: Queryable<Tables>, tenant: Tenant, memberId: string, filter: IntroFilter): IntroQuery {
  const { startingAfter, limit } = filter;
  const before = startingAfter === undefined ? sql`` : sql`and id < ${startingAfter}`;
  const page = sql<IntroRow>`(
    select x.* from unnest(${[...INTRO_STATUSES]}::text[]) as s(status) cross join lateral (
      select * from intros
      where organization_id = ${tenant.organizationId} and environment = ${tenant.environment} and member_id = ${memberId}
        and status = s.status ${before}
      order by id desc limit ${sql.lit(limit)}
    ) x order by x.id desc limit ${sql.lit(limit)}
  )`;
  return db.selectFrom(page.as('intros')).selectAll() as unknown as IntroQuery;
}

export function listIntros(db: Queryable<Tables>, tenant: Tenant, filter: IntroFilter): Promise<IntroWithMember[]> {
  const { startingAfter, status, memberId, referenceId } = filter;
  if (memberId !== undefined && status === undefined && referenceId === undefined) {
    return withMembers(db, ofMember(db, tenant, memberId, filter)).execute();
  }
  let page = ownIntros(db, tenant, filter.limit).orderBy('id', 'desc');
  if (startingAfter !== undefined) page = page.where('id', '<', startingAfter);
  if (status !== undefined) page = page.where('status', '=', status);
  if (memberId !== undefined) page = page.where('member_id', '=', memberId);
  if (referenceId !== undefined) page = page.where('reference_id', '=', referenceId);
  return withMembers(db, page).execute();
}
