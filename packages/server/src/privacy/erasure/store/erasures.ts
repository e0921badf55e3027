/** Folder: the SQL of an erasure: accepts the request, then erases in short steps. */

import { sql } from 'kysely';
import { acrossTenants, type Db, forTenant, type Row, type Tenant, type Tx, tenantOf } from '../../../db/tenancy.ts';
import { RETRY_S, SECOND_PASS_AFTER_S, type Step } from '../rules.ts';

export type ErasureRow = Row<'recipient_erasures'>;
type Due = Pick<ErasureRow, 'organization_id' | 'environment' | 'id'>;

export async function insertErasure(
  tx: Tx,
  tenant: Tenant,
  erasure: {
    readonly id: string;
    readonly sealed_phone: Buffer;
    readonly removed: Readonly<Record<string, number>>;
    readonly opt_out_kept: boolean;
    readonly created_at: Date;
    readonly step: Step;
  },
): Promise<void> {
  await forTenant(tx, tenant)
    .insertInto('recipient_erasures')
    .values({
      ...erasure,
      removed: JSON.stringify(erasure.removed),
      organization_id: tenant.organizationId,
      environment: tenant.environment,
      status: 'processing',
      due_at: sql<Date>`clock_timestamp()`,
      completed_at: null,
    })
    .execute();
}

export async function findErasure(db: Db, tenant: Tenant, id: string): Promise<ErasureRow | null> {
  const row = await forTenant(db, tenant)
    .selectFrom('recipient_erasures')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst();
  return row ?? null;
}

export const listNewest = (db: Db, tenant: Tenant, limit: number): Promise<ErasureRow[]> =>
  forTenant(db, tenant).selectFrom('recipient_erasures').selectAll().orderBy('id', 'desc').limit(limit).execute();

/** Ids of the erased intros, newest first. */
export async function listIntroIds(
  db: Db,
  tenant: Tenant,
  erasureId: string,
  limit: number,
): Promise<readonly string[]> {
  const rows = await forTenant(db, tenant)
    .selectFrom('intros')
    .select('id')
    .where('erasure_id', '=', erasureId)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** The next erasures to continue. */
export const listDue = (db: Db, limit: number): Promise<readonly Due[]> =>
  acrossTenants(db)
    .selectFrom('recipient_erasures')
    .select(['organization_id', 'environment', 'id'])
    .where(sql<boolean>`status = 'processing'`)
    .where('due_at', '<=', sql<Date>`clock_timestamp()`)
    .orderBy('due_at')
    .limit(limit)
    .execute();

/** Locks an erasure in progress that no other worker continues at this moment. */
export async function lockErasure(tx: Tx, tenant: Tenant, id: string): Promise<ErasureRow | null> {
  const row = await forTenant(tx, tenant)
    .selectFrom('recipient_erasures')
    .selectAll()
    .where('id', '=', id)
    .where('status', '=', 'processing')
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  return row ?? null;
}

const update = (db: Db, row: Due) =>
  forTenant(db, tenantOf(row))
    .updateTable('recipient_erasures')
    .where('id', '=', row.id)
    .where('status', '=', 'processing');

/** Adds to the counts. */
const plus = (row: ErasureRow, counts: Readonly<Record<string, number>>): string => {
  const sums: Record<string, number> = { ...row.removed };
  for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count;
  return JSON.stringify(sums);
};

/** Moves on to the next rows of the step, or to the next step. The caller has locked the row. */
export async function advance(
  tx: Tx,
  row: ErasureRow,
  to: { readonly step: Step; readonly position: string },
  counts: Readonly<Record<string, number>>,
): Promise<void> {
  await update(tx, row)
    .set({ ...to, removed: plus(row, counts) })
    .execute();
}

/** Starts the second pass, once everything that was in flight has ended. */
export async function startSecondPass(tx: Tx, row: ErasureRow, step: Step): Promise<void> {
  const due_at = sql<Date>`greatest(clock_timestamp(), accepted_at + ${SECOND_PASS_AFTER_S} * interval '1 second')`;
  await update(tx, row).set({ pass: 2, step, position: '', due_at }).execute();
}

const RETRY_AT = sql<Date>`clock_timestamp() + ${RETRY_S} * interval '1 second'`;

/** Repeats the second pass, because something is still in flight. */
export const repeatPass = (tx: Tx, row: ErasureRow, step: Step) =>
  update(tx, row).set({ step, position: '', due_at: RETRY_AT }).execute();

/** After a failure, so that other erasures are not delayed. */
export const postpone = (db: Db, row: Due) => update(db, row).set({ due_at: RETRY_AT }).execute();

export async function complete(tx: Tx, row: ErasureRow, now: Date): Promise<void> {
  await update(tx, row).set({ status: 'completed', completed_at: now, due_at: null, sealed_phone: null }).execute();
}
