/** Folder: the SQL of an erasure: accepts the request, then erases in short steps. */

import { ERASED_NAME, type ErasurePreview, EVENT_FAILURES } from '@foreword/contract';
import { sql } from 'kysely';
import { TABLES, type Table } from '../../../db/tables.ts';
import {
  acrossTenants,
  columnsOf,
  type Db,
  forTenant,
  type Row,
  type Tenant,
  type Tx,
  tenantOf,
} from '../../../db/tenancy.ts';
import { KEEP_STRONGER } from '../../../delivery/index.ts';
import { realTime } from '../../../platform/clock.ts';
import { ERASED_PHONE, RETRY_S, SECOND_PASS_AFTER_S, type Step } from '../rules.ts';

export type ErasureRow = Row<'recipient_erasures'>;
type Due = Pick<ErasureRow, 'organization_id' | 'environment' | 'id'>;

export async function insertErasure(
  tx: Tx,
  tenant: Tenant,
  erasure: Pick<ErasureRow, 'id' | 'sealed_phone' | 'removed' | 'opt_out_kept' | 'created_at'> & {
    readonly step: Step;
  },
): Promise<void> {
  await forTenant(tx, tenant)
    .insertInto('recipient_erasures')
    .values({
      ...columnsOf(tenant),
      ...erasure,
      removed: JSON.stringify(erasure.removed),
      status: 'processing',
      due_at: sql<Date>`clock_timestamp()`,
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
    cross join unnest(w.event_ids) as one(id)
    cross join lateral (
      select id, request from touchpoint_events where organization_id = w.organization_id and id = one.id offset 0
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

interface ErasedIntro {
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
      where ${owned} and id in (
        select unnest(${ids}::text[])
        union all
        select id from touchpoint_events where ${owned} and error_code is not null and ${isFor(phone)}
      )
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
      on conflict (organization_id, environment, phone_hash) ${sql.raw(KEEP_STRONGER)}
    ), ${sql.join(deletions)}, log as (
      update consents set phone = ${`erased:${hash.toString('hex')}`}, said = null where ${owned} and phone = ${phone} returning 1
    )
    select (select count(*)::int from log) as consents,
      exists (select from gone) or exists (select from opt_outs where ${owned} and phone = ${phone})
        or exists (select from erased_opt_outs where ${owned} and phone_hash = ${hash}::bytea) as kept`.execute(tx);
  return { consents: rows[0]?.consents ?? 0, optOutKept: rows[0]?.kept === true };
}
