import { ERASED_NAME } from '@foreword/contract';
import { sql } from 'kysely';
import { TABLES, type Table } from '../../../db/tables.ts';
import { type Db, forTenant, type Row, type Tenant, type Tx } from '../../../db/tenancy.ts';
import type { StoredResponse } from '../../../http/idempotency/index.ts';

/** Locks the stored responses about these intros or events. */
export const lockResponses = (tx: Tx, tenant: Tenant, objectIds: readonly string[]): Promise<StoredResponse[]> =>
  forTenant(tx, tenant)
    .selectFrom('idempotency_keys')
    .select(['organization_id', 'environment', 'key_hash', 'response'])
    .where('object_id', 'in', [...objectIds])
    .where('response', 'is not', null)
    .orderBy('key_hash')
    .forUpdate()
    .$narrowType<{ response: string }>()
    .execute();

export type StoredMessage = Pick<Row<'webhook_messages'>, 'organization_id' | 'id' | 'sealed_payload'>;

const messages = (tx: Tx, tenant: Tenant) =>
  forTenant(tx, tenant).selectFrom('webhook_messages').select(['organization_id', 'id', 'sealed_payload']);

/** The webhooks about these objects. */
export const listWebhooks = (tx: Tx, tenant: Tenant, objectIds: readonly string[]): Promise<StoredMessage[]> =>
  messages(tx, tenant)
    .where('object_id', 'in', [...objectIds])
    .orderBy('id')
    .execute();

/** The next webhooks about consent. The number is in the payload only. */
export const listConsentWebhooks = (
  tx: Tx,
  tenant: Tenant,
  { after, before, limit }: { readonly after: string; readonly before: Date; readonly limit: number },
): Promise<StoredMessage[]> =>
  messages(tx, tenant)
    .where('type', 'in', ['recipient.opted_out', 'recipient.opted_in'])
    .where('created_at', '<=', before)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();

export async function replacePayload(tx: Tx, tenant: Tenant, id: string, sealed_payload: Buffer): Promise<void> {
  await forTenant(tx, tenant).updateTable('webhook_messages').set({ sealed_payload }).where('id', '=', id).execute();
}

/** Empties what receivers answered, because an answer may repeat the payload. */
export async function eraseAnswers(tx: Tx, tenant: Tenant, messageIds: readonly string[]): Promise<void> {
  if (messageIds.length === 0) return;
  await sql`
    update webhook_attempts set sealed_answer = null
    where ${forTenant(tx, tenant).owns()} and message_id = any(${[...messageIds]}::text[])
      and sealed_answer is not null`.execute(tx);
}

/** The next intros or events of an erasure, in the order of their ids. */
export async function listErasedAfter(
  tx: Tx,
  tenant: Tenant,
  table: 'intros' | 'touchpoint_events',
  { erasureId, after, limit }: { readonly erasureId: string; readonly after: string; readonly limit: number },
): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from ${sql.table(table)}
    where ${forTenant(tx, tenant).owns()} and erasure_id = ${erasureId} and id > ${after}
    order by id limit ${limit}`.execute(tx);
  return rows.map(({ id }) => id);
}

/** Empties messages, and drops those that wait. One that a worker is sending is left for the second pass. */
export async function eraseMessages(tx: Tx, tenant: Tenant, introIds: readonly string[], now: Date): Promise<number> {
  const ofIntros = sql`${forTenant(tx, tenant).owns()} and intro_id = any(${[...introIds]}::text[])`;
  const emptied = await sql`
    update messages set subject = null, body = null, error_message = null,
      address = case audience when 'recipient' then null else address end,
      carrier_id = case audience when 'recipient' then null else carrier_id end
    where ${ofIntros} and (subject is not null or body is not null or error_message is not null
      or (audience = 'recipient' and (address is not null or carrier_id is not null)))`.execute(tx);
  const dropped = await sql`
    with dropped as (delete from message_queue where ${ofIntros} and claimed_at is null returning *)
    insert into messages (organization_id, environment, id, intro_id, audience, purpose, round, channel, due_at, attempts, resends, address,
      segments, carrier, by_own_account, account, created_at, status, error_code, settled_at)
    select organization_id, environment, id, intro_id, audience, purpose, round, coalesce(channel, planned_channel), due_at, attempts,
      resends, case audience when 'member' then address end, segments, carrier, by_own_account, account, created_at, 'dropped',
      'recipient_erased', ${now}
    from dropped`.execute(tx);
  return Number(emptied.numAffectedRows ?? 0) + Number(dropped.numAffectedRows ?? 0);
}

/** Empties texts to the number before it was corrected. Their intros have another number now. */
export async function eraseTextsTo(tx: Tx, tenant: Tenant, phone: string): Promise<number> {
  const { numUpdatedRows } = await forTenant(tx, tenant)
    .updateTable('messages')
    .set({ address: null, carrier_id: null, subject: null, body: null, error_message: null })
    .where('address', '=', phone)
    .where('audience', '=', 'recipient')
    // The condition of the index.
    .where('channel', '=', sql.lit('text'))
    .where('accepted_at', 'is not', null)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** Replaces the number in the events of these intros. Other values keep the text that was sent. */
export async function correctEvents(tx: Tx, tenant: Tenant, introIds: readonly string[], phone: string): Promise<void> {
  await sql`
    update touchpoint_events e set request = (
      select json_object_agg(key, case key when 'recipient'
        then (value::jsonb || jsonb_build_object('phone', ${phone}::text))::json else value end)
      from json_each(e.request)
    )
    from intros i where ${forTenant(tx, tenant).owns('i')} and i.id = any(${[...introIds]}::text[])
      and ${forTenant(tx, tenant).owns('e')} and e.id = i.event_id`.execute(tx);
}

/** Clears error messages that a carrier reported after the intros were erased. */
export async function eraseDeliveryErrors(tx: Tx, tenant: Tenant, introIds: readonly string[]): Promise<void> {
  await forTenant(tx, tenant)
    .updateTable('intros')
    .set({ delivery_error_message: null })
    .where('id', 'in', [...introIds])
    .where('delivery_error_message', 'is not', null)
    .execute();
}

/** Empties the columns that may identify a recipient, in the rows that refer to these intros or events. */
export async function clearColumns(
  tx: Tx,
  tenant: Tenant,
  reference: 'intro_id' | 'object_id',
  ids: readonly string[],
): Promise<number> {
  let count = 0;
  for (const [table, { recipient, erasure }] of Object.entries<Table>(TABLES)) {
    if (recipient !== reference || !('clears' in erasure)) continue;
    const columns = erasure.clears.map((name) => sql.ref(name));
    const { numAffectedRows } = await sql`
      update ${sql.table(table)} set ${sql.join(columns.map((column) => sql`${column} = null`))}
      where ${forTenant(tx, tenant).owns()} and ${sql.ref(reference)} = any(${[...ids]}::text[])
        and num_nonnulls(${sql.join(columns)}) > 0`.execute(tx);
    // A take counts when its files are deleted, not because of its captions.
    if (table !== 'recordings') count += Number(numAffectedRows ?? 0);
  }
  return count;
}

/** Empties the emails to owners and managers that name the recipient. One that is not sent yet is withdrawn. */
export async function eraseTeamEmails(tx: Tx, tenant: Tenant, introIds: readonly string[], now: Date): Promise<number> {
  const ids = sql`${[...introIds]}::text[]`;
  const { numAffectedRows } = await sql`
    update owner_emails l set subject = '', body = '',
      status = case status when 'scheduled' then 'failed' else status end,
      error_message = case status when 'scheduled' then 'Withdrawn: it named a recipient who was erased.' else error_message end,
      settled_at = case status when 'scheduled' then ${now}::timestamptz else settled_at end
    where ${forTenant(tx, tenant).owns('l')} and body <> '' and (
      (purpose = 'intro_declined' and exists (select from unnest(${ids}) as i(id) where position(i.id in l.body) > 0))
      or (purpose = 'weekly_summary' and exists (
        select from weekly_summaries s, json_array_elements(s.figures -> 'longest') as e
        where s.organization_id = l.organization_id and s.environment = l.environment and s.week = l.week
          and e ->> 'id' = any(${ids})
      ))
    )`.execute(tx);
  return Number(numAffectedRows ?? 0);
}

/** Replaces the name in the figures of weekly summaries. */
export async function eraseSummaries(tx: Tx, tenant: Tenant, introIds: readonly string[]): Promise<void> {
  const ids = sql`${[...introIds]}::text[]`;
  await sql`
    update weekly_summaries s set figures = jsonb_set(s.figures::jsonb, '{longest}', (
      select jsonb_agg(
        case when e ->> 'id' = any(${ids}) then e || ${JSON.stringify({ recipient: ERASED_NAME })}::jsonb else e end order by n
      ) from jsonb_array_elements(s.figures::jsonb -> 'longest') with ordinality as longest(e, n)
    ))::json
    where ${forTenant(tx, tenant).owns('s')} and exists (
      select from json_array_elements(s.figures -> 'longest') as e
      where e ->> 'id' = any(${ids}) and e ->> 'recipient' <> ${ERASED_NAME}
    )`.execute(tx);
}

/** Empties the logged requests that were rejected and contain the masked number: they refer to no object. */
export async function eraseRejectedRequests(
  tx: Tx,
  tenant: Tenant,
  { masked, before }: { readonly masked: string; readonly before: Date },
): Promise<number> {
  const { numAffectedRows } = await sql`
    update request_log set query = null, body = null, answer = null
    where ${forTenant(tx, tenant).owns()} and status >= 400 and object_id is null and created_at <= ${before}
      and (body ~ ${masked} or query ~ ${masked} or answer ~ ${masked})`.execute(tx);
  return Number(numAffectedRows ?? 0);
}

type Take = Pick<Row<'recordings'>, 'organization_id' | 'environment' | 'id' | 'intro_id'>;

/**
 * Discards the takes of the intro that are not processed, and those whose worker sent no heartbeat for so long. A worker that
 * still processes one notices that its intro is closed, and discards it.
 */
export async function discardTakes(db: Db, tenant: Tenant, introId: string, abandonedAfterMs: number): Promise<void> {
  await sql`
    update recordings set status = 'discarded', touched_at = clock_timestamp()
    where ${forTenant(db, tenant).owns()} and intro_id = ${introId} and (
      status in ('uploading', 'uploaded')
      or (status = 'processing' and touched_at < clock_timestamp() - ${abandonedAfterMs} * interval '1 millisecond')
    )`.execute(db);
}

export const listTakes = (db: Db, tenant: Tenant, introId: string): Promise<Take[]> =>
  forTenant(db, tenant)
    .selectFrom('recordings')
    .select(['organization_id', 'environment', 'id', 'intro_id'])
    .where('intro_id', '=', introId)
    .orderBy('id')
    .execute();

/** Returns how many takes had files until now. Called after their files are deleted. */
export async function markTakesDeleted(tx: Tx, tenant: Tenant, introId: string, now: Date): Promise<number> {
  const { numUpdatedRows } = await forTenant(tx, tenant)
    .updateTable('recordings')
    .set({ deleted_at: now, original_deleted_at: now, files_check_at: null, has_preview: false, has_captions: false })
    .where('intro_id', '=', introId)
    .where('deleted_at', 'is', null)
    .where('status', '<>', 'processing')
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** Whether a text about these intros is being sent, a take is being processed, or files could not be deleted. */
export async function isInFlight(tx: Tx, tenant: Tenant, erasureId: string): Promise<boolean> {
  const own = forTenant(tx, tenant);
  const { rows } = await sql<{ found: boolean }>`
    select exists (
      select from intros i
      where ${own.owns('i')} and i.erasure_id = ${erasureId} and (
        exists (select from message_queue m where m.organization_id = i.organization_id and m.intro_id = i.id)
        or exists (select from recordings r where r.organization_id = i.organization_id and r.intro_id = i.id
          and (r.deleted_at is null or r.status in ('uploading', 'uploaded', 'processing')))
      )
    ) as found`.execute(tx);
  return rows[0]?.found === true;
}
