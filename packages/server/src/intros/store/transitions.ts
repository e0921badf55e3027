import { DELIVERY_FAILURES } from '@foreword/contract';
import { CompiledQuery, sql } from 'kysely';
import { planned } from '../../db/statements.ts';
import { acrossTenants, type Db, forTenant, type Tenant, type Tx } from '../../db/tenancy.ts';
import type { IntroRow } from '../fields.ts';
import { expiryOfReady, MOVES } from '../rules.ts';
import { changesRow, NOTICE } from '../store.ts';

const updateIntro = (db: Db, tenant: Tenant, id: string) =>
  forTenant(db, tenant).updateTable('intros').where('id', '=', id);

/**
 * True when this take was received after the one that is shown. A scalar subquery, so that the second of two concurrent workers
 * compares with the take the first one has set; a join would compare with the one before.
 */
const isReceivedLater = (recordingId: string) => sql<boolean>`coalesce((
  select (take.received_at, take.id) > (shown.received_at, shown.id)
  from recordings take, recordings shown
  where take.organization_id = intros.organization_id and take.id = ${recordingId}
    and shown.organization_id = intros.organization_id and shown.id = intros.recording_id), true)`;

/**
 * Returns null if the intro is closed or sent, or already shows a take that was received later. The recipient's link gets its
 * host from the first take and keeps it, because it may have been sent.
 */
export async function moveToReady(
  db: Db,
  tenant: Tenant,
  id: string,
  { recordingId, linkHost }: { readonly recordingId: string; readonly linkHost: string | null },
  now: Date,
): Promise<Pick<IntroRow, 'link_host'> | null> {
  const moved = await updateIntro(db, tenant, id)
    .set({
      status: MOVES.record.to,
      recording_id: recordingId,
      link_host: sql`case when recording_id is null then ${linkHost} else link_host end`,
      recorded_at: now,
      expires_at: expiryOfReady(now),
      version: sql`version + 1`,
    })
    .where('status', 'in', MOVES.record.from)
    .where(isReceivedLater(recordingId))
    .returning('link_host')
    .executeTakeFirst();
  return moved ?? null;
}

const cancelled = (by: string | null, now: Date) => ({
  ...{ status: MOVES.cancel.to, cancelled_at: now, cancelled_by: by, expires_at: null },
  version: sql<number>`version + 1`,
});

/** Returns false if the intro does not exist or can no longer be cancelled. */
export const moveToCancelled = (db: Db, tenant: Tenant, id: string, by: string | null, now: Date) =>
  changesRow(updateIntro(db, tenant, id).set(cancelled(by, now)).where('status', 'in', MOVES.cancel.from));

/** Returns false if the intro does not exist, is not sent, or its page was taken down before. */
export const takeDownPage = (db: Db, tenant: Tenant, id: string, by: string | null, now: Date) =>
  changesRow(
    updateIntro(db, tenant, id)
      .set({ taken_down_at: now, taken_down_by: by, version: sql`version + 1` })
      .where('status', '=', MOVES.send.to)
      .where('taken_down_at', 'is', null),
  );

/** Cancels these open intros, or every one of the organization, and returns their ids. */
export async function cancelOpen(
  db: Db,
  tenant: Tenant,
  by: string | null,
  now: Date,
  ids?: readonly string[],
): Promise<readonly string[]> {
  const open = forTenant(db, tenant)
    .updateTable('intros')
    .set(cancelled(by, now))
    .where('status', 'in', MOVES.cancel.from);
  const chosen = ids === undefined ? open : open.where('id', 'in', ids);
  const rows = await chosen.returning('id').execute();
  return rows.map(({ id }) => id);
}

/** The open intros for numbers that do not begin with `prefix`. */
export async function countOpenBesides(db: Db, tenant: Tenant, prefix: string): Promise<number> {
  const { count } = await forTenant(db, tenant)
    .selectFrom('intros')
    .select((of) => of.fn.countAll<string>().as('count'))
    .where('status', 'in', ['requested', 'ready'])
    .where('recipient_phone', 'not like', `${prefix}%`)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/**
 * Marks the intro as sent because its sender says so: the integration that delivers it or, `byHand`, a member after the
 * service's text failed.
 */
export const moveToSentBySender = (
  db: Db,
  tenant: Tenant,
  id: string,
  { byHand, now }: { byHand: boolean; now: Date },
) =>
  changesRow(
    updateIntro(db, tenant, id)
      .set({
        ...{ status: MOVES.send.to, sent_at: now, expires_at: null },
        ...{ delivery_error_code: null, delivery_error_message: null, version: sql`version + 1` },
      })
      .where('status', 'in', MOVES.send.from)
      .where(
        sql<boolean>`(responsibility = 'integration' or (${byHand}::boolean and delivery_error_code is not null))`,
      ),
  );

interface SentIntro {
  readonly tenant: Tenant;
  readonly introId: string;
  readonly at: Date;
}

// Joined by place: a connection may keep a plan that it made while the table was small, and a join by id would read all of it.
const SEND = planned(`
with found as materialized (
  select i.place, x.at
  from unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[]) as x(organization_id, environment, id, at)
  cross join lateral (
    select ctid as place from intros
    where organization_id = x.organization_id and environment = x.environment and id = x.id
      and status in (${MOVES.send.from.map((status) => `'${status}'`).join()}) and responsibility = 'service'
    for update
  ) i
)
update intros i
set status = '${MOVES.send.to}', sent_at = f.at, expires_at = null, delivery_error_code = null, delivery_error_message = null,
  version = i.version + 1
from found f where i.ctid = f.place
returning i.id`);

/** Called once the carrier has accepted the messages. Returns the ids of those that were not closed or sent before. */
export async function moveToSentByService(tx: Tx, sent: readonly SentIntro[]): Promise<ReadonlySet<string>> {
  if (sent.length === 0) return new Set();
  // In order, so that two batches cannot deadlock.
  const ordered = sent.toSorted((a, b) => (a.introId < b.introId ? -1 : 1));
  const values = [
    ordered.map(({ tenant }) => tenant.organizationId),
    ordered.map(({ tenant }) => tenant.environment),
    ordered.map(({ introId }) => introId),
    ordered.map(({ at }) => at),
  ];
  const { rows } = await tx.executeQuery<{ id: string }>(CompiledQuery.raw(SEND, values));
  return new Set(rows.map(({ id }) => id));
}

/** Sets why the message did not reach the recipient; null clears it. Returns false if nothing changed. */
export const setDeliveryError = (
  db: Db,
  tenant: Tenant,
  id: string,
  error: { readonly code: string; readonly message: string } | null,
) =>
  changesRow(
    updateIntro(db, tenant, id)
      .set({
        delivery_error_code: error?.code ?? null,
        delivery_error_message: error?.message ?? null,
        version: sql`version + 1`,
      })
      .where('status', 'in', [...MOVES.send.from, MOVES.send.to])
      .where(sql<boolean>`delivery_error_code is distinct from ${error?.code ?? null}`),
  );

/**
 * Locks the intro and the recipient's other open ones, those with the same number and name, in the order in which others lock several.
 * Returns the ids.
 */
export async function lockOfRecipient(db: Db, tenant: Tenant, introId: string): Promise<readonly string[]> {
  const { owns: owned } = forTenant(db, tenant);
  const { rows } = await sql<{ id: string }>`
    select i.id from intros of_recipient join intros i on ${owned('i')} and i.recipient_phone = of_recipient.recipient_phone
      and i.recipient_first_name = of_recipient.recipient_first_name
      and i.recipient_last_name is not distinct from of_recipient.recipient_last_name
    where ${owned('of_recipient')} and of_recipient.id = ${introId} and (i.id = ${introId} or i.status in ('requested', 'ready'))
    order by i.id for update of i`.execute(db);
  return rows.map(({ id }) => id);
}

/** Replaces the recipient's number in locked intros. The words of a carrier may contain the wrong one. Returns the ids of those that had it. */
export async function correctPhones(
  db: Db,
  tenant: Tenant,
  { introIds, phone, by }: { readonly introIds: readonly string[]; readonly phone: string; readonly by: string | null },
  now: Date,
): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    update intros set recipient_phone = ${phone}, phone_corrected_at = ${now}, phone_corrected_by = ${by}, version = version + 1,
      delivery_error_message = ${JSON.stringify(DELIVERY_FAILURES)}::jsonb ->> delivery_error_code
    where ${forTenant(db, tenant).owns()} and id = any(${[...introIds]}::text[]) and recipient_phone <> ${phone}
    returning id`.execute(db);
  return rows.map(({ id }) => id);
}

/** Marks a change of these intros, and returns those whose member no message reached. */
export async function markUnreachable(db: Db, tenant: Tenant, introIds: readonly string[]): Promise<readonly string[]> {
  const requested = (query: Pick<ReturnType<typeof forTenant>, 'owns'>) =>
    sql`${query.owns()} and id = any(${[...introIds]}::text[]) and status = 'requested'`;
  const owned = forTenant(db, tenant);
  // The last of two concurrent failures sees the other.
  await sql`select from intros where ${requested(owned)} order by id for update`.execute(db);
  const { rows } = await sql<{ id: string }>`
    update intros i set version = version + 1
    where ${requested(owned)}
      and (select error_code is not null from ${NOTICE} notice)
    returning id`.execute(db);
  return rows.map(({ id }) => id);
}

/** The deadline of one intro passes now. Returns false if it does not exist, or is sent or closed. */
export const moveToExpiredNow = (db: Db, tenant: Tenant, id: string, now: Date) =>
  changesRow(
    updateIntro(db, tenant, id)
      .set({ status: MOVES.expire.to, expires_at: now, version: sql`version + 1` })
      .where('status', 'in', MOVES.expire.from),
  );

/** One organization with a test clock, or all others. */
export type ExpiryScope = Tenant | 'without test clock';

/** The expression of the index on deadlines. */
export const DEADLINE = sql`coalesce(expires_at, 'infinity'::timestamptz)`;
// Literals, not parameters: the planner uses the partial index only if it sees the statuses.
const IS_OPEN = sql`status in (${sql.join(MOVES.expire.from.map((status) => sql.lit(status)))})`;

/** Jumps from organization to organization in the index on deadlines, and finds those with a due intro. */
const listWithDue = (now: Date) => sql`
  with recursive earliest as (
    (
      select organization_id, environment, ${DEADLINE} as deadline from intros where ${IS_OPEN}
      order by organization_id, ${DEADLINE}, id limit 1
    )
    union all
    select next.* from earliest e cross join lateral (
      select organization_id, environment, ${DEADLINE} as deadline from intros
      where ${IS_OPEN} and organization_id > e.organization_id order by organization_id, ${DEADLINE}, id limit 1
    ) next
  )
  select organization_id, environment from earliest e where deadline <= ${now} and not exists (
    select from test_clocks c where c.organization_id = e.organization_id and c.environment = e.environment
  )`;

const only = ({ organizationId, environment }: Tenant) =>
  sql`select ${organizationId}::text as organization_id, ${environment}::text as environment`;

/** A take that arrived in time is not lost because it is processed after the deadline. After a day, it is stuck. */
const hasPendingTake = (now: Date) => sql`exists (
  select from recordings r where r.organization_id = intros.organization_id and r.intro_id = intros.id
    and r.status in ('uploaded', 'processing') and r.received_at > ${now}::timestamptz - interval '1 day'
)`;

/** Expires a batch of due intros. Workers that run it concurrently skip each other's locked rows. */
export async function moveToExpired(
  db: Db,
  scope: ExpiryScope,
  now: Date,
  limit: number,
): Promise<Pick<IntroRow, 'organization_id' | 'environment' | 'id'>[]> {
  const { rows } = await sql<Pick<IntroRow, 'organization_id' | 'environment' | 'id'>>`
    with due as materialized (
      select i.organization_id, i.id
      from (${scope === 'without test clock' ? listWithDue(now) : only(scope)}) o
      cross join lateral (
        select organization_id, id from intros
        where organization_id = o.organization_id and environment = o.environment and ${IS_OPEN} and ${DEADLINE} <= ${now}
          and not ${hasPendingTake(now)}
        order by ${DEADLINE}, id limit ${limit} for update skip locked
      ) i
      limit ${limit}
    )
    update intros i set status = ${MOVES.expire.to}, version = i.version + 1
    from due where i.organization_id = due.organization_id and i.id = due.id
    returning i.organization_id, i.environment, i.id`.execute(acrossTenants(db));
  return rows;
}
