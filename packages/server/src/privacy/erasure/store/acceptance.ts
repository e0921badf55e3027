import { ERASED_NAME, type ErasurePreview, EVENT_FAILURES } from '@foreword/contract';
import { sql } from 'kysely';
import { TABLES, type Table } from '../../../db/tables.ts';
import { type Db, forTenant, type Tenant, type Tx } from '../../../db/tenancy.ts';
import { realTime } from '../../../platform/clock.ts';
import { ERASED_PHONE } from '../rules.ts';

/** Counts what an erasure of the number would find. */
export async function previewErasure(db: Db, tenant: Tenant, phone: string): Promise<ErasurePreview> {
  const owned = forTenant(db, tenant).owns();
  const { rows } = await sql<Omit<ErasurePreview, 'phone'>>`
    select count(*)::int as intros, count(*) filter (where status in ('requested', 'ready'))::int as open,
      count(*) filter (where status = 'sent' and taken_down_at is null)::int as pages,
      exists (select from opt_outs where ${owned} and phone = ${phone}) as opted_out
    from intros where ${owned} and recipient_phone collate "C" = ${phone}`.execute(db);
  const [found] = rows;
  if (found === undefined) throw new Error('counting returned no row');
  return { phone, ...found };
}

const isFor = (phone: string) => sql<boolean>`request -> 'recipient' ->> 'phone' = ${phone}`;

/**
 * Locks the events for the number that are not processed yet. Waits for a worker that is creating their intros, which are
 * visible to the statements after this one.
 */
export async function lockWaitingEvents(tx: Tx, tenant: Tenant, phone: string): Promise<readonly string[]> {
  const owned = forTenant(tx, tenant).owns();
  const { rows: waiting } = await sql<{ id: string }>`
    select e.id from waiting_events w
    cross join lateral (
      select id, request from touchpoint_events where organization_id = w.organization_id and id = w.event_id offset 0
    ) e
    where ${forTenant(tx, tenant).owns('w')} and ${isFor(phone)} order by e.id`.execute(tx);
  const ids = waiting.map(({ id }) => id);
  if (ids.length === 0) return [];
  await sql`select from touchpoint_events where ${owned} and id = any(${ids}::text[]) order by id for update`.execute(
    tx,
  );
  return ids;
}

/**
 * From here on, an intro that is being created for an opted-out number waits for this erasure, or is visible to the statements
 * after this one. It then finds its opt-out.
 */
export async function lockOptOut(
  tx: Tx,
  tenant: Tenant,
  { phone, hash }: { readonly phone: string; readonly hash: Buffer },
): Promise<void> {
  const owned = forTenant(tx, tenant).owns();
  await sql`select from opt_outs where ${owned} and phone = ${phone} for update`.execute(tx);
  await sql`select from erased_opt_outs where ${owned} and phone_hash = ${hash} for update`.execute(tx);
}

export interface Erasing {
  readonly erasureId: string;
  readonly phone: string;
  /** A member or an API key; null for the operator. */
  readonly by: string | null;
  readonly now: Date;
}

/** Columns that cannot be null. */
const INSTEAD: Readonly<Record<string, string>> = {
  recipient_first_name: ERASED_NAME,
  recipient_phone: ERASED_PHONE,
  metadata: '{}',
};
const { erasure } = TABLES.intros;
const EMPTIED = sql.join(
  ('erases' in erasure ? erasure.erases : []).map((name) => sql`${sql.ref(name)} = ${sql.lit(INSTEAD[name] ?? null)}`),
);

export interface ErasedIntro {
  readonly id: string;
  readonly event_id: string | null;
  /** It was open until now. */
  readonly is_cancelled: boolean;
}

/** Erases the intros for the number, cancels the open ones and takes the pages of sent ones down. */
export async function eraseIntros(
  tx: Tx,
  tenant: Tenant,
  { erasureId, phone, by, now }: Erasing,
): Promise<readonly ErasedIntro[]> {
  const { rows } = await sql<ErasedIntro>`
    with found as materialized (
      select id, status in ('requested', 'ready') as is_open from intros
      where ${forTenant(tx, tenant).owns()} and recipient_phone collate "C" = ${phone}
      order by id for update
    )
    update intros i set
      ${EMPTIED}, instructed = false,
      status = case when f.is_open then 'cancelled' else i.status end,
      cancelled_at = case when f.is_open then ${now}::timestamptz else i.cancelled_at end,
      cancelled_by = case when f.is_open then ${by}::text else i.cancelled_by end,
      expires_at = case when f.is_open then null else i.expires_at end,
      taken_down_at = case when i.status = 'sent' then coalesce(i.taken_down_at, ${now}::timestamptz) else i.taken_down_at end,
      taken_down_by = case when i.status = 'sent' and i.taken_down_at is null then ${by}::text else i.taken_down_by end,
      erasure_id = ${erasureId}, erased_at = ${now}::timestamptz, version = i.version + 1
    from found f where ${forTenant(tx, tenant).owns('i')} and i.id = f.id
    returning i.id, i.event_id, f.is_open as is_cancelled`.execute(tx);
  return rows;
}

/**
 * Erases the requests of these events, and of failed ones for the number. Events that are not processed yet fail. Returns
 * the ids, and which ones failed now.
 */
export async function eraseEvents(
  tx: Tx,
  tenant: Tenant,
  ids: readonly string[],
  { erasureId, phone, now }: Erasing,
): Promise<readonly { readonly id: string; readonly has_failed: boolean }[]> {
  const owned = forTenant(tx, tenant).owns();
  const recipient = JSON.stringify({ recipient: { first_name: ERASED_NAME, phone: ERASED_PHONE } });
  const { rows } = await sql<{ id: string; has_failed: boolean }>`
    with found as materialized (
      select id, status = 'accepted' as is_waiting from touchpoint_events
      where ${owned} and (id = any(${ids}::text[]) or id in (
        select id from touchpoint_events where ${owned} and error_code is not null and ${isFor(phone)}
      ))
      order by id for update
    )
    update touchpoint_events e set
      request = ((e.request::jsonb - 'metadata' - 'context') || ${recipient}::jsonb)::json,
      status = case when f.is_waiting then 'failed' else e.status end,
      settled_at = case when f.is_waiting then ${realTime(now)}::timestamptz else e.settled_at end,
      error_code = case when f.is_waiting then 'recipient_erased' else e.error_code end,
      error_message = ${JSON.stringify(EVENT_FAILURES)}::jsonb ->> case when f.is_waiting then 'recipient_erased' else e.error_code end,
      erasure_id = ${erasureId}
    from found f where ${forTenant(tx, tenant).owns('e')} and e.id = f.id
    returning e.id, f.is_waiting as has_failed`.execute(tx);
  return rows;
}

/**
 * Replaces the number by its hash in the consent log and among the opt-outs, and deletes other rows that have it as their
 * key. If a member has the same number, its opt-out stays, because it applies to the member's texts.
 */
export async function eraseNumber(
  tx: Tx,
  tenant: Tenant,
  { phone, hash }: { readonly phone: string; readonly hash: Buffer },
): Promise<{ readonly consents: number; readonly optOutKept: boolean }> {
  const owned = forTenant(tx, tenant).owns();
  const { organizationId, environment } = tenant;
  const deletions = Object.entries<Table>(TABLES).flatMap(([table, { recipient, erasure }]) =>
    recipient !== undefined && 'deletes' in erasure
      ? [
          sql`${sql.ref(`of_${table}`)} as (delete from ${sql.table(table)} where ${owned} and ${sql.ref(recipient)} = ${phone})`,
        ]
      : [],
  );
  const { rows } = await sql<{ consents: number; kept: boolean }>`
    with member as (select exists (select from members where ${owned} and phone = ${phone}) as has_number),
    gone as (
      delete from opt_outs where ${owned} and phone = ${phone} and not (select has_number from member)
      returning source, opted_out_at
    ), kept as (
      insert into erased_opt_outs (organization_id, environment, phone_hash, source, opted_out_at)
      select ${organizationId}, ${environment}, ${hash}::bytea, source, opted_out_at from gone
      on conflict do nothing
    ), ${sql.join(deletions)}, log as (
      update consents set phone = ${`erased:${hash.toString('hex')}`}, said = null where ${owned} and phone = ${phone} returning 1
    )
    select (select count(*)::int from log) as consents,
      exists (select from gone) or exists (select from opt_outs where ${owned} and phone = ${phone})
        or exists (select from erased_opt_outs where ${owned} and phone_hash = ${hash}::bytea) as kept`.execute(tx);
  return { consents: rows[0]?.consents ?? 0, optOutKept: rows[0]?.kept === true };
}
