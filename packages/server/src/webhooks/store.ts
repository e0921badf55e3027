/** The SQL of webhooks. */

import type { WebhookMessageStatus } from '@foreword/contract';
import { sql, type Updateable } from 'kysely';
import type { Condition, Period } from '../db/lists.ts';
import {
  type AllRelations,
  acrossTenants,
  type Db,
  forTenant,
  type Row,
  type Tenant,
  tenantOf,
} from '../db/tenancy.ts';
import { idBound } from '../platform/ids.ts';
import type { ContentSeal } from './sealing.ts';
import { WAKE_CHANNEL, wakePayload } from './store/queue.ts';

export interface Page {
  readonly limit: number;
  readonly startingAfter: string | undefined;
}

const selectEndpoints = (db: Db, tenant: Tenant) => forTenant(db, tenant).selectFrom('webhook_endpoints').selectAll();

export async function findEndpoint(db: Db, tenant: Tenant, id: string): Promise<Row<'webhook_endpoints'> | null> {
  return (await selectEndpoints(db, tenant).where('id', '=', id).executeTakeFirst()) ?? null;
}

export function listEndpoints(db: Db, tenant: Tenant, page?: Page): Promise<Row<'webhook_endpoints'>[]> {
  let query = selectEndpoints(db, tenant).orderBy('id', 'desc');
  if (page !== undefined) query = query.limit(page.limit);
  if (page?.startingAfter !== undefined) query = query.where('id', '<', page.startingAfter);
  return query.execute();
}

export async function insertEndpoint(db: Db, row: Row<'webhook_endpoints'>): Promise<void> {
  await forTenant(db, tenantOf(row)).insertInto('webhook_endpoints').values(row).execute();
}

const updateEndpoints = (db: Db, tenant: Tenant, id: string) =>
  forTenant(db, tenant).updateTable('webhook_endpoints').where('id', '=', id);

/** Returns null if the endpoint does not exist. */
export async function updateEndpoint(
  db: Db,
  tenant: Tenant,
  id: string,
  change: Updateable<AllRelations['webhook_endpoints']>,
): Promise<Row<'webhook_endpoints'> | null> {
  if (Object.keys(change).length === 0) return findEndpoint(db, tenant, id);
  return (await updateEndpoints(db, tenant, id).set(change).returningAll().executeTakeFirst()) ?? null;
}

/** Sets a new secret and keeps the current one as the previous secret until `previousUntil`. */
export const rotateSecret = (db: Db, tenant: Tenant, id: string, secret: Buffer, previousUntil: Date) =>
  updateEndpoints(db, tenant, id)
    .set((eb) => ({ previous_secret: eb.ref('secret'), previous_secret_expires_at: previousUntil, secret }))
    .returningAll()
    .executeTakeFirst();

/** Disables the endpoint because of responses from `url`. Returns null if it was disabled, has succeeded or has a new URL. */
export async function disableEndpoint(
  db: Db,
  tenant: Tenant,
  { id, url }: { readonly id: string; readonly url: string },
  disabled: { reason: 'gone' } | { reason: 'failing'; since: Date },
): Promise<Row<'webhook_endpoints'> | null> {
  let query = updateEndpoints(db, tenant, id)
    .set({ active: false, disabled_reason: disabled.reason })
    .where('url', '=', url)
    .where('active', '=', true);
  if (disabled.reason === 'failing') query = query.where('failing_since', '<=', disabled.since);
  return (await query.returningAll().executeTakeFirst()) ?? null;
}

/** All of a backlog in one statement would exceed its time limit, and so would every repeat of the request. */
const ROWS_PER_STATEMENT = 20_000;

/** Changes all deliveries to an endpoint that meet a condition, which the change must end. Returns how many there were. */
async function changeDeliveries(
  db: Db,
  tenant: Tenant,
  endpointId: string,
  { change, condition }: { readonly change: Condition; readonly condition: Condition },
): Promise<number> {
  // By place: the planner expects a single row, and would search the whole backlog for each.
  const statement = sql`
    with part as materialized (
      select ctid as place from webhook_deliveries
      where ${forTenant(db, tenant).owns()} and endpoint_id = ${endpointId} and ${condition}
      limit ${sql.lit(ROWS_PER_STATEMENT)} for update
    )
    ${change} part where webhook_deliveries.ctid = part.place`;
  for (let all = 0; ; ) {
    const { numAffectedRows = 0n } = await statement.execute(db);
    if (numAffectedRows === 0n) return all;
    all += Number(numAffectedRows);
  }
}

const IS_PENDING = sql`due_at is not null`;

/** Keeps messages, attempts and settled deliveries until they are old enough to be deleted. */
export async function deleteEndpoint(db: Db, tenant: Tenant, id: string): Promise<boolean> {
  // Endpoints are locked before their deliveries everywhere, which prevents deadlocks.
  const { numDeletedRows } = await forTenant(db, tenant)
    .deleteFrom('webhook_endpoints')
    .where('id', '=', id)
    .executeTakeFirst();
  if (numDeletedRows === 0n) return false;
  await changeDeliveries(db, tenant, id, { change: sql`delete from webhook_deliveries using`, condition: IS_PENDING });
  return true;
}

/** Wakes a sender after the transaction. */
export const wakeSender = (db: Db, { organizationId }: Tenant, endpointId: string) =>
  sql`select hint(${WAKE_CHANNEL}, ${wakePayload(organizationId, endpointId)})`.execute(db);

/** Marks every pending delivery to this endpoint as failed. */
export async function failPending(db: Db, tenant: Tenant, endpointId: string): Promise<void> {
  const change = sql`update webhook_deliveries set status = 'failed', due_at = null from`;
  await changeDeliveries(db, tenant, endpointId, { change, condition: IS_PENDING });
}

export type ReplaySelection = { readonly message: string } | { readonly since: Date; readonly until: Date | undefined };

/** No more attempts, or waiting for the next one after a failed one. Each has an index. */
const HAS_FAILED = [sql`status = 'failed'`, sql`${IS_PENDING} and failures > 0`];

/** Restarts the retry schedule. A delivery with an attempt in flight may arrive twice. */
export async function redeliver(
  db: Db,
  tenant: Tenant,
  endpointId: string,
  selection: ReplaySelection,
  dueAt: Date,
): Promise<number> {
  const change = sql`update webhook_deliveries set status = 'pending', failures = 0, due_at = ${dueAt}, claim = claim + 2`;
  if ('message' in selection) {
    const isMessage = sql`${forTenant(db, tenant).owns()} and endpoint_id = ${endpointId} and message_id = ${selection.message}`;
    return Number((await sql`${change} where ${isMessage}`.execute(db)).numAffectedRows);
  }
  const { since, until } = selection;
  const isWithin =
    until === undefined ? sql`created_at >= ${since}` : sql`created_at >= ${since} and created_at < ${until}`;
  let all = 0;
  for (const failed of HAS_FAILED) {
    all += await changeDeliveries(db, tenant, endpointId, {
      change: sql`${change} from`,
      condition: sql`${failed} and ${isWithin}`,
    });
  }
  return all;
}

/** Counting stops here, so that it stays fast. */
const BACKLOG_LIMIT = 10_000;

export async function countBacklog(db: Db, tenant: Tenant, endpointId: string) {
  const deliveries = forTenant(db, tenant)
    .selectFrom('webhook_deliveries')
    .select('message_id')
    .where('endpoint_id', '=', endpointId)
    .limit(BACKLOG_LIMIT);
  const count = async (rows: typeof deliveries) => {
    const counted = acrossTenants(db).selectFrom(rows.as('counted')).select(sql<number>`count(*)::int`.as('n'));
    return (await counted.executeTakeFirstOrThrow()).n;
  };
  const due = deliveries.where('due_at', 'is not', null);
  const failed = deliveries.where('status', '=', sql.lit('failed'));
  const [waiting, retrying, given_up, oldest] = await Promise.all([
    count(due.where('failures', '=', 0)),
    count(due.where('failures', '>', 0)),
    count(failed),
    failed.clearSelect().select('created_at').orderBy('created_at').clearLimit().limit(1).executeTakeFirst(),
  ]);
  const failed_since = oldest?.created_at.toISOString() ?? null;
  return { waiting, retrying, given_up, failed_since, limit: BACKLOG_LIMIT };
}

const selectAttempts = (db: Db, tenant: Tenant, endpointId: string) =>
  forTenant(db, tenant).selectFrom('webhook_attempts').selectAll().where('endpoint_id', '=', endpointId);

export async function hasAttempt(db: Db, tenant: Tenant, endpointId: string, id: string): Promise<boolean> {
  return (await selectAttempts(db, tenant, endpointId).where('id', '=', id).executeTakeFirst()) !== undefined;
}

export function listAttempts(
  db: Db,
  tenant: Tenant,
  endpointId: string,
  page: Page,
): Promise<Row<'webhook_attempts'>[]> {
  let query = selectAttempts(db, tenant, endpointId).orderBy('id', 'desc').limit(page.limit);
  if (page.startingAfter !== undefined) query = query.where('id', '<', page.startingAfter);
  return query.execute();
}

/** Queues a message for one endpoint, regardless of the events it subscribes to. */
export async function insertEndpointMessage(
  db: Db,
  endpointId: string,
  message: Row<'webhook_messages'>,
  dueAt: Date,
): Promise<void> {
  const { organization_id, environment, id: message_id, created_at } = message;
  const scope = forTenant(db, tenantOf(message));
  await scope.insertInto('webhook_messages').values(message).execute();
  await scope
    .insertInto('webhook_deliveries')
    .values({
      organization_id,
      environment,
      message_id,
      endpoint_id: endpointId,
      status: 'pending',
      due_at: dueAt,
      created_at,
    })
    .execute();
}

const selectMessages = (db: Db, tenant: Tenant) =>
  forTenant(db, tenant)
    .selectFrom('webhook_deliveries', 'd')
    .innerJoin('webhook_messages as m', (on) =>
      on.onRef('m.organization_id', '=', 'd.organization_id').onRef('m.id', '=', 'd.message_id'),
    )
    .select(['m.organization_id', 'm.environment', 'm.id', 'm.type', 'm.is_test', 'm.sealed_payload'])
    .select(['m.created_at', 'd.endpoint_id', 'd.status', 'd.due_at'])
    .select(
      sql<number>`(select count(*)::int from webhook_attempts a where a.organization_id = d.organization_id
        and a.message_id = d.message_id and a.endpoint_id = d.endpoint_id)`.as('attempts'),
    );

/** A message with the state of its delivery to one endpoint. */
export type EndpointMessageRow = Awaited<ReturnType<ReturnType<typeof selectMessages>['execute']>>[number];

/** Without an endpoint: the delivery to the oldest one that exists, or otherwise to a deleted one. Null if there is none. */
export async function findMessage(
  db: Db,
  tenant: Tenant,
  id: string,
  endpointId: string | undefined,
): Promise<EndpointMessageRow | null> {
  let query = selectMessages(db, tenant).where('d.message_id', '=', id);
  if (endpointId !== undefined) query = query.where('d.endpoint_id', '=', endpointId);
  const existing = selectEndpoints(db, tenant).clearSelect().select('id');
  const [isDeleted, byAge] = [sql`d.endpoint_id not in ${existing}`, 'd.endpoint_id'] as const;
  return (await query.orderBy(isDeleted).orderBy(byAge).limit(1).executeTakeFirst()) ?? null;
}

export interface MessageFilter extends Period {
  readonly type: string | undefined;
  readonly status: WebhookMessageStatus | undefined;
}

/**
 * The messages of an endpoint, newest first. Each filter reads the index in which its rows are in order: failed ones by
 * creation, those of one type in the messages, and all others in the deliveries.
 */
export function listMessages(
  db: Db,
  tenant: Tenant,
  endpointId: string,
  { type, status, from, until }: MessageFilter,
  { limit, startingAfter }: Page,
): Promise<EndpointMessageRow[]> {
  let query = selectMessages(db, tenant).where('d.endpoint_id', '=', endpointId).limit(limit);
  if (type !== undefined) query = query.where('m.type', '=', type);
  if (status !== undefined) query = query.where('d.status', '=', sql.lit(status));
  if (status === 'failed') {
    if (from !== undefined) query = query.where('d.created_at', '>=', from);
    if (until !== undefined) query = query.where('d.created_at', '<', until);
    if (startingAfter !== undefined) {
      const createdAt = forTenant(db, tenant)
        .selectFrom('webhook_deliveries')
        .select('created_at')
        .where('message_id', '=', startingAfter)
        .where('endpoint_id', '=', endpointId);
      query = query
        .where('d.created_at', '<=', createdAt)
        .where(sql<boolean>`(d.created_at, d.message_id) < (${createdAt}, ${startingAfter})`);
    }
    return query.orderBy('d.created_at', 'desc').orderBy('d.message_id', 'desc').execute();
  }
  const id = type === undefined ? 'd.message_id' : 'm.id';
  // Ids sort by creation, so a period is a range of ids.
  if (from !== undefined) query = query.where(id, '>=', idBound('msg', from));
  if (until !== undefined) query = query.where(id, '<', idBound('msg', until));
  if (startingAfter !== undefined) query = query.where(id, '<', startingAfter);
  return query.orderBy(id, 'desc').execute();
}

/** An intro has a handful of messages. More come only from an integration that repeats the same actions. */
const MAX_MESSAGES = 50;

/** The messages about one object with their deliveries and attempts, newest first. */
export async function listObjectWebhooks(db: Db, contents: ContentSeal, tenant: Tenant, objectId: string) {
  const scope = forTenant(db, tenant);
  const messages = await scope
    .selectFrom('webhook_messages')
    .select(['organization_id', 'id', 'type', 'sealed_payload', 'created_at'])
    .where('object_id', '=', objectId)
    .orderBy('id', 'desc')
    .limit(MAX_MESSAGES)
    .execute();
  if (messages.length === 0) return [];
  const ids = messages.map(({ id }) => id);
  const [deliveries, attempts, endpoints] = await Promise.all([
    scope
      .selectFrom('webhook_deliveries')
      .select(['message_id', 'endpoint_id', 'status', 'due_at'])
      .where('message_id', 'in', ids)
      .orderBy('endpoint_id')
      .execute(),
    scope
      .selectFrom('webhook_attempts')
      .select(['message_id', 'endpoint_id', 'id', 'succeeded', 'status', 'error', 'duration_ms', 'created_at'])
      .where('message_id', 'in', ids)
      .orderBy('id', 'desc')
      .execute(),
    scope.selectFrom('webhook_endpoints').select(['id', 'url']).execute(),
  ]);
  const urls = new Map(endpoints.map(({ id, url }) => [id, url]));
  return messages.map((message) => ({
    id: message.id,
    type: message.type,
    payload: contents.openPayload(message),
    created_at: message.created_at,
    deliveries: deliveries
      .filter(({ message_id }) => message_id === message.id)
      .map(({ endpoint_id, status, due_at }) => ({
        endpoint_id,
        url: urls.get(endpoint_id) ?? null,
        status,
        due_at,
        attempts: attempts.filter((one) => one.message_id === message.id && one.endpoint_id === endpoint_id),
      })),
  }));
}

export type ObjectWebhook = Awaited<ReturnType<typeof listObjectWebhooks>>[number];
