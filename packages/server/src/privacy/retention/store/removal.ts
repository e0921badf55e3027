/** Folder: the SQL that removes old rows. */

import type { RetentionRule } from '@foreword/contract';
import { sql } from 'kysely';
import { type Db, forTenant, type Tenant, type Tx } from '../../../db/tenancy.ts';
import type { Part, Period } from './parts.ts';

const periodOf = (db: Db, tenant: Tenant, before: Date): Period => ({
  owns: forTenant(db, tenant).owns,
  organizationId: tenant.organizationId,
  before,
});

/** The `order` of the last row of a batch. */
type Cursor = string | Date;

interface Batch {
  readonly removed: number;
  /** Null: nothing was due. */
  readonly last: Cursor | null;
}

/** Removes up to `limit` due rows, from the cursor on. Rows that others have locked are left for the next sweep. */
export async function removeBatch(
  tx: Tx,
  tenant: Tenant,
  part: Part,
  { before, from, limit }: { readonly before: Date; readonly from: Cursor | null; readonly limit: number },
): Promise<Batch> {
  const period = periodOf(tx, tenant, before);
  const order = sql.ref(`t.${part.order}`);
  const { rows } = await sql<Batch>`
    with due as materialized (
      select ${sql.ref(`t.${part.key}`)} as key, ${order} as place ${part.columns ?? sql``}
      from ${sql.table(part.table)} t
      where ${part.due(period)} ${part.isOpen === undefined ? sql`` : sql`and ${part.isOpen}`}
        ${from === null ? sql`` : sql`and ${order} >= ${from}`}
      order by ${order} limit ${limit} for update of t skip locked
    ), ${part.remove(period)}
    select count(*)::int as removed, max(place) as last from due`.execute(tx);
  return rows[0] ?? { removed: 0, last: null };
}

/** How many objects are due, up to `limit`. */
export async function countDue(
  db: Db,
  tenant: Tenant,
  part: Part,
  { before, limit }: { readonly before: Date; readonly limit: number },
): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from (
      select from ${sql.table(part.table)} t where ${part.due(periodOf(db, tenant, before))} limit ${limit}
    ) counted`.execute(db);
  return rows[0]?.n ?? 0;
}

/** False while another node sweeps the rule. The lock ends with the transaction, so a killed node releases it. */
export async function lockRule(tx: Tx, rule: RetentionRule): Promise<boolean> {
  const name = `retention ${rule}`;
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) as locked`.execute(tx);
  return rows[0]?.locked === true;
}

/** A crash may lose the removal of a batch, which the next sweep repeats. So a commit need not wait for the disk. */
export async function commitLazily(tx: Tx): Promise<void> {
  await sql`set local synchronous_commit = off`.execute(tx);
}
