import type { Transaction } from 'kysely';
import type pg from 'pg';
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

const toValues = (numbers: readonly HashedNumber[]) => [
  numbers.map(({ tenant }) => tenant.organizationId),
  numbers.map(({ tenant }) => tenant.environment),
  numbers.map(({ hash }) => hash),
  numbers.map(({ phone }) => phone),
];

const RESTORE = {
  name: 'restore opt-outs',
  text: `
with input as (
  select distinct * from unnest($1::text[], $2::text[], $3::bytea[], $4::text[])
    as i(organization_id, environment, phone_hash, phone)
), held as materialized (
  select organization_id, environment, phone_hash from erased_opt_outs
  where (organization_id, environment, phone_hash) in (select organization_id, environment, phone_hash from input)
  order by organization_id, environment, phone_hash for update
), gone as (
  delete from erased_opt_outs e
  using held h join input i using (organization_id, environment, phone_hash)
  where e.organization_id = h.organization_id and e.environment = h.environment and e.phone_hash = h.phone_hash
  returning i.organization_id, i.environment, i.phone, e.source, e.opted_out_at
)
insert into opt_outs (organization_id, environment, phone, source, opted_out_at)
select organization_id, environment, phone, source, opted_out_at from gone
on conflict do nothing`,
};

/** Moves opt-outs of erased numbers back to the ledger. */
export async function restoreOptOuts(client: pg.ClientBase, numbers: readonly HashedNumber[]): Promise<void> {
  await client.query({ ...RESTORE, values: toValues(numbers) });
}

// Both in one statement: another transaction may be moving an opt-out.
const FIND = {
  name: 'find opt-outs of erased numbers',
  text: `
select n::int - 1 as position
from unnest($1::text[], $2::text[], $3::bytea[], $4::text[]) with ordinality
  as i(organization_id, environment, phone_hash, phone, n)
where exists (
  select from erased_opt_outs
  where organization_id = i.organization_id and environment = i.environment and phone_hash = i.phone_hash offset 0
) or exists (
  select from opt_outs
  where organization_id = i.organization_id and environment = i.environment and phone = i.phone offset 0
)`,
};

/** The positions of the numbers that have opted out, before or after an erasure. */
export async function findOptedOut(
  client: Pick<pg.ClientBase, 'query'>,
  numbers: readonly HashedNumber[],
): Promise<number[]> {
  const { rows } = await client.query<{ position: number }>({ ...FIND, values: toValues(numbers) });
  return rows.map(({ position }) => position);
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
