import { sql, type Transaction } from 'kysely';
import type pg from 'pg';
import type { Queryable } from '../../platform/db.ts';
import type { ConsentSource, Tables, Tenant } from '../../tables.ts';
import { forTenant } from '../../tenancy.ts';

export interface HashedNumber {
  readonly tenant: Tenant;
  readonly phone: string;
  readonly hash: Buffer;
}

// Ordered here and below, so that two batches that share numbers cannot deadlock.
const HOLD = {
  name: 'hold opt-outs',
  text: `
select from opt_outs
where (organization_id, environment, phone) in (select * from unnest($1::text[], $2::text[], $3::text[]))
order by organization_id, environment, phone for key share`,
};

/** Waits until no erasure of these numbers is in progress. Others wait for the end of this transaction. */
export async function holdOptOuts(
  client: pg.ClientBase,
  numbers: readonly Omit<HashedNumber, 'hash'>[],
): Promise<void> {
  const values = [
    numbers.map(({ tenant }) => tenant.organizationId),
    numbers.map(({ tenant }) => tenant.environment),
    numbers.map(({ phone }) => phone),
  ];
  await client.query({ ...HOLD, values });
}

const RESTORE = {
  name: 'restore opt-outs',
  text: `
with input as (
  select * from unnest($1::text[], $2::text[], $3::bytea[], $4::text[]) with ordinality
    as i(organization_id, environment, phone_hash, phone, n)
), held as materialized (
  select organization_id, environment, phone_hash from erased_opt_outs
  where (organization_id, environment, phone_hash) in (select organization_id, environment, phone_hash from input)
  order by organization_id, environment, phone_hash for update
), gone as (
  delete from erased_opt_outs e
  using held h join (select distinct organization_id, environment, phone_hash, phone from input) i
    using (organization_id, environment, phone_hash)
  where e.organization_id = h.organization_id and e.environment = h.environment and e.phone_hash = h.phone_hash
  returning i.organization_id, i.environment, i.phone, e.source, e.opted_out_at
), kept as (
  insert into opt_outs (organization_id, environment, phone, source, opted_out_at)
  select organization_id, environment, phone, source, opted_out_at from gone
  on conflict do nothing
)
select i.n::int - 1 as position
from input i join gone g using (organization_id, environment, phone)`,
};

/** Moves opt-outs of erased numbers back to the ledger. Returns the positions of the numbers that had opted out. */
export async function restoreOptOuts(client: pg.ClientBase, numbers: readonly HashedNumber[]): Promise<number[]> {
  if (numbers.length === 0) return [];
  const values = [
    numbers.map(({ tenant }) => tenant.organizationId),
    numbers.map(({ tenant }) => tenant.environment),
    numbers.map(({ hash }) => hash),
    numbers.map(({ phone }) => phone),
  ];
  const { rows } = await client.query<{ position: number }>({ ...RESTORE, values });
  return rows.map(({ position }) => position);
}

/** Whether an erased number had opted out. */
export async function hasErasedOptOut(db: Queryable<Tables>, tenant: Tenant, hash: Buffer): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from erased_opt_outs where ${forTenant(db, tenant).owns()} and phone_hash = ${hash}) as found`.execute(
    db,
  );
  return rows[0]?.found === true;
}

/** False if there is none from these sources. */
export async function deleteErasedOptOut(
  tx: Transaction<Tables>,
  tenant: Tenant,
  hash: Buffer,
  sources: readonly ConsentSource[] | undefined,
): Promise<boolean> {
  const found = forTenant(tx, tenant).deleteFrom('erased_opt_outs').where('phone_hash', '=', hash);
  const { numDeletedRows } = await (sources === undefined
    ? found
    : found.where('source', 'in', sources)
  ).executeTakeFirst();
  return numDeletedRows === 1n;
}
