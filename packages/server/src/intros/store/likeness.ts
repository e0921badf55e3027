import { sql } from 'kysely';
import { type Db, forTenant, type Tenant } from '../../db/tenancy.ts';
import type { IntroRow } from '../fields.ts';
import { MOVES } from '../rules.ts';

/** Locks intros of a member who withdrew consent: those that are open, and those whose page would still show the member. */
export const lockShowing = (
  db: Db,
  tenant: Tenant,
  memberId: string,
  limit: number,
): Promise<Pick<IntroRow, 'id' | 'status'>[]> =>
  forTenant(db, tenant)
    .selectFrom('intros')
    .select(['id', 'status'])
    .where('member_id', '=', memberId)
    .where((where) =>
      where.or([
        where('status', 'in', MOVES.cancel.from),
        where.and([where('status', '=', MOVES.send.to), where('likeness_withdrawn_at', 'is', null)]),
      ]),
    )
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .execute();

/** Cancels locked open intros, because their member withdrew consent. */
export async function closeOpenOf(
  db: Db,
  tenant: Tenant,
  ids: readonly string[],
  by: string | null,
  now: Date,
): Promise<void> {
  if (ids.length === 0) return;
  await forTenant(db, tenant)
    .updateTable('intros')
    .set({
      ...{ status: MOVES.cancel.to, cancelled_at: now, cancelled_by: by, expires_at: null },
      likeness_withdrawn_at: now,
      version: sql`version + 1`,
    })
    .where('id', 'in', ids)
    .where('status', 'in', MOVES.cancel.from)
    .execute();
}

/** Takes the pages of locked sent intros down. Returns those whose page was still up. */
export async function takeDownSent(
  db: Db,
  tenant: Tenant,
  ids: readonly string[],
  by: string | null,
  now: Date,
): Promise<readonly string[]> {
  if (ids.length === 0) return [];
  const update = () =>
    forTenant(db, tenant)
      .updateTable('intros')
      .set({ likeness_withdrawn_at: now, version: sql`version + 1` })
      .where('id', 'in', ids)
      .where('status', '=', MOVES.send.to)
      .where('likeness_withdrawn_at', 'is', null);
  const rows = await update()
    .set({ taken_down_at: now, taken_down_by: by })
    .where('taken_down_at', 'is', null)
    .returning('id')
    .execute();
  await update().execute();
  return rows.map(({ id }) => id);
}
