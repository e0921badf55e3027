import type { ConsentSource } from '@foreword/contract';
import { DEFAULT_LANGUAGE, type Language } from '@foreword/contract';
import { CompiledQuery, sql } from 'kysely';
import type pg from 'pg';
import { planned } from '../../db/statements.ts';
import { columnsOf, type Database, type Db, forTenant, type Row, type Tenant, type Tx } from '../../db/tenancy.ts';

/** False if the number had already opted out. */
export async function insertOptOut(tx: Tx, tenant: Tenant, optOut: Omit<OptOutRow, 'said'>): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await forTenant(tx, tenant)
    .insertInto('opt_outs')
    .values({ ...columnsOf(tenant), ...optOut })
    .onConflict((on) => on.doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

/** False if the number had not opted out in one of these ways, or not since then. */
export async function deleteOptOut(
  tx: Tx,
  tenant: Tenant,
  phone: string,
  sources: readonly ConsentSource[],
  since = new Date(0),
): Promise<boolean> {
  const found = forTenant(tx, tenant)
    .deleteFrom('opt_outs')
    .where('phone', '=', phone)
    .where('source', 'in', sources)
    .where('opted_out_at', '>', since);
  return (await found.executeTakeFirst()).numDeletedRows === 1n;
}

/** Changes how a number opted out. False if it has not opted out in one of the ways `from`. */
export async function changeOptOutSource(
  tx: Tx,
  tenant: Tenant,
  phone: string,
  { from, to }: { from: readonly ConsentSource[]; to: ConsentSource },
): Promise<boolean> {
  const { numUpdatedRows } = await forTenant(tx, tenant)
    .updateTable('opt_outs')
    .set({ source: to })
    .where('phone', '=', phone)
    .where('source', 'in', from)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** A change of consent, with the name of the member who made it. */
export interface ConsentRow extends Pick<Row<'consents'>, 'kind' | 'source' | 'said' | 'created_at' | 'by_member'> {
  readonly first_name: string | null;
  readonly last_name: string | null;
}

const MAX_CONSENTS = 50;

/** The newest changes of a number's consent. */
export async function listConsents(db: Db, tenant: Tenant, phone: string): Promise<readonly ConsentRow[]> {
  return forTenant(db, tenant)
    .selectFrom('consents', 'c')
    .leftJoin('members as m', (on) =>
      on.onRef('m.organization_id', '=', 'c.organization_id').onRef('m.id', '=', 'c.by_member'),
    )
    .select(['c.kind', 'c.source', 'c.said', 'c.created_at', 'c.by_member', 'm.first_name', 'm.last_name'])
    .where('c.phone', '=', phone)
    .orderBy('c.id', 'desc')
    .limit(MAX_CONSENTS)
    .execute();
}

/** The log of consents is append-only: it has to prove later who agreed or refused, and when. */
export async function appendConsent(
  tx: Tx,
  tenant: Tenant,
  consent: Omit<Row<'consents'>, 'organization_id' | 'environment'>,
): Promise<void> {
  await forTenant(tx, tenant)
    .insertInto('consents')
    .values({ ...columnsOf(tenant), ...consent })
    .execute();
}

/** When the person was asked whether to stop texts; null if they answered, or were not asked since then. */
export async function findOpenQuestion(db: Db, tenant: Tenant, phone: string, since: Date): Promise<Date | null> {
  const last = await forTenant(db, tenant)
    .selectFrom('consents')
    .select(['kind', 'created_at'])
    .where('phone', '=', phone)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return last?.kind === 'asked' && last.created_at > since ? last.created_at : null;
}

/** An opt-out with the words or the reason that the log has. */
export interface OptOutRow extends Pick<Row<'opt_outs'>, 'phone' | 'source' | 'opted_out_at'> {
  readonly id: string;
  readonly said: string | null;
}

const selectOptOuts = (db: Db, tenant: Tenant) =>
  forTenant(db, tenant)
    .selectFrom('opt_outs', 'o')
    .select(['o.id', 'o.phone', 'o.source', 'o.opted_out_at'])
    .select(
      sql<string | null>`(select said from consents c
        where c.organization_id = o.organization_id and c.environment = o.environment and c.phone = o.phone and c.kind = 'opt_out'
        order by c.id desc limit 1)`.as('said'),
    );

export const findOptOut = (db: Db, tenant: Tenant, phone: string): Promise<OptOutRow | undefined> =>
  selectOptOuts(db, tenant).where('o.phone', '=', phone).executeTakeFirst();

/** The entry in the log of consents that has the words of an opt-out. It stays when the opt-out is undone. */
export const consentIdOf = (optOutId: string): string => optOutId.replace('opt_', 'con_');

/** Also of an opt-out that was undone; null if there was none with this id. */
const optOutTime = (db: Db, tenant: Tenant, id: string) => {
  const own = forTenant(db, tenant).owns();
  return sql<Date | null>`coalesce((select opted_out_at from opt_outs where ${own} and id = ${id}),
    (select created_at from consents where ${own} and id = ${consentIdOf(id)}))`;
};

export async function hadOptOut(db: Db, tenant: Tenant, id: string): Promise<boolean> {
  const { rows } = await sql<{ at: Date | null }>`select ${optOutTime(db, tenant, id)} as at`.execute(db);
  return rows[0]?.at != null;
}

/** The words of an opt-out, as long as it had this source; null if there are none, or if they were erased. */
export async function findWords(
  db: Db,
  tenant: Tenant,
  { id, phone, source }: Pick<OptOutRow, 'id' | 'phone' | 'source'>,
): Promise<string | null> {
  const first = await forTenant(db, tenant)
    .selectFrom('consents')
    .select('said')
    .where('phone', '=', phone)
    .where('kind', '=', 'opt_out')
    .where('source', '=', source)
    .where('id', '>=', consentIdOf(id))
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return first?.said ?? null;
}

/** The newest opt-outs after the one with this id. */
export function listOptOuts(
  db: Db,
  tenant: Tenant,
  { phone, limit, startingAfter }: { phone: string | undefined; limit: number; startingAfter: string | undefined },
): Promise<OptOutRow[]> {
  const all = selectOptOuts(db, tenant).orderBy('o.opted_out_at', 'desc').orderBy('o.id', 'desc').limit(limit);
  const found = phone === undefined ? all : all.where('o.phone', '=', phone);
  if (startingAfter === undefined) return found.execute();
  return found
    .where(sql<boolean>`(o.opted_out_at, o.id) < (${optOutTime(db, tenant, startingAfter)}, ${startingAfter})`)
    .execute();
}

export interface Sender extends Tenant {
  readonly name: string;
}

/**
 * Organizations that text this number from the shared sender: have sent, may have sent, or have an intro pending.
 * Texts from an organization's own account are left out: replies to them arrive at its own number.
 */
export async function findSenders(db: Database, phone: string): Promise<readonly Sender[]> {
  const { rows } = await sql<Sender>`
  select w.organization_id as "organizationId", w.environment, o.name
  from (
    select organization_id, environment from messages
    where address = ${phone} and channel = 'text' and accepted_at is not null and not by_own_account
    union
    select n.organization_id, n.environment
    from texted_numbers n
    left join lateral (
      select by_own_account from all_messages where organization_id = n.organization_id and id = n.message_id offset 0
    ) m on true
    where n.phone = ${phone} and m.by_own_account is not true
    union
    select i.organization_id, i.environment from organizations each_one
    cross join lateral (
      select organization_id, environment from intros
      where organization_id = each_one.id and recipient_phone collate "C" = ${phone} and responsibility = 'service' limit 1
    ) i
    where not exists (
      select 1 from delivery_settings s
      where s.organization_id = i.organization_id and s.environment = i.environment and s.twilio_account is not null
    )
  ) w
  join organizations o on o.id = w.organization_id
  order by 1, 2`.execute(db.kysely);
  return rows;
}

/** The language of the newest intro for this number; without one, the language of the organization whose members it may be. */
export async function findReaderLanguage(
  db: Database,
  phone: string,
  organizations: readonly Pick<Sender, 'organizationId'>[],
): Promise<Language> {
  const ids = organizations.map(({ organizationId }) => organizationId);
  const { rows } = await sql<{ language: Language }>`
  select coalesce(newest.language, o.language) as language
  from organizations o
  left join lateral (
    select recipient_language as language, created_at from intros
    where organization_id = o.id and recipient_phone collate "C" = ${phone} order by created_at desc limit 1
  ) newest on true
  where o.id = any(${ids}::text[])
  order by newest.created_at desc nulls last, o.id
  limit 1`.execute(db.kysely);
  return rows[0]?.language ?? DEFAULT_LANGUAGE;
}

interface HashedNumber {
  readonly tenant: Tenant;
  readonly phone: string;
  readonly hash: Buffer;
}

// Ordered here and below, so that two batches that share numbers cannot deadlock.
const HOLD = planned(`
select from opt_outs
where (organization_id, environment, phone) in (select * from unnest($1::text[], $2::text[], $3::text[]))
order by organization_id, environment, phone for key share`);

const toValues = (numbers: readonly Omit<HashedNumber, 'hash'>[]) => [
  numbers.map(({ tenant }) => tenant.organizationId),
  numbers.map(({ tenant }) => tenant.environment),
  numbers.map(({ phone }) => phone),
];
const withHashes = (numbers: readonly HashedNumber[]) => [...toValues(numbers), numbers.map(({ hash }) => hash)];

/** Waits until no erasure of these numbers is in progress. Others wait for the end of this transaction. */
export async function holdOptOuts(tx: Db, numbers: readonly Omit<HashedNumber, 'hash'>[]): Promise<void> {
  await tx.executeQuery(CompiledQuery.raw(HOLD, toValues(numbers)));
}

/** An opt-out that only the person can undo is not lost to one that others can. */
export const KEEP_STRONGER = "do update set source = excluded.source where excluded.source in ('text', 'carrier')";

const RESTORE = planned(`
with input as (
  select distinct * from unnest($1::text[], $2::text[], $3::text[], $4::bytea[])
    as i(organization_id, environment, phone, phone_hash)
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
on conflict (organization_id, environment, phone) ${KEEP_STRONGER}`);

/** Moves opt-outs of erased numbers back to the ledger. */
export async function restoreOptOuts(tx: Db, numbers: readonly HashedNumber[]): Promise<void> {
  await tx.executeQuery(CompiledQuery.raw(RESTORE, withHashes(numbers)));
}

// Both in one statement: another transaction may be moving an opt-out.
const FIND = planned(`
select n::int - 1 as position
from unnest($1::text[], $2::text[], $3::text[], $4::bytea[]) with ordinality
  as i(organization_id, environment, phone, phone_hash, n)
where exists (
  select from erased_opt_outs
  where organization_id = i.organization_id and environment = i.environment and phone_hash = i.phone_hash offset 0
) or exists (
  select from opt_outs
  where organization_id = i.organization_id and environment = i.environment and phone = i.phone offset 0
)`);

/** The positions of the numbers that have opted out, before or after an erasure. */
export async function findOptedOut(
  client: Pick<pg.ClientBase, 'query'>,
  numbers: readonly HashedNumber[],
): Promise<number[]> {
  const { rows } = await client.query<{ position: number }>(FIND, withHashes(numbers));
  return rows.map(({ position }) => position);
}

/** Whether the number has opted out in a way other than these, before or after an erasure. */
export async function isOptedOutOtherwise(
  tx: Tx,
  { tenant, phone, hash }: HashedNumber,
  sources: readonly ConsentSource[],
): Promise<boolean> {
  const scope = forTenant(tx, tenant);
  const erased = scope.selectFrom('erased_opt_outs').select('source').where('phone_hash', '=', hash);
  const given = scope.selectFrom('opt_outs').select('source').where('phone', '=', phone).unionAll(erased);
  return (await given.execute()).some(({ source }) => !sources.includes(source));
}

/** False if there is none from these sources. */
export async function deleteErasedOptOut(
  tx: Tx,
  tenant: Tenant,
  hash: Buffer,
  sources: readonly ConsentSource[],
): Promise<boolean> {
  const erased = forTenant(tx, tenant).deleteFrom('erased_opt_outs').where('phone_hash', '=', hash);
  return (await erased.where('source', 'in', sources).executeTakeFirst()).numDeletedRows === 1n;
}
