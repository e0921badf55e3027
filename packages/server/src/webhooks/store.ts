import { sql, type Updateable } from 'kysely';
import type { Queryable } from '../platform/db.ts';
import type { Tables, Tenant, WebhookAttemptRow, WebhookEndpointRow, WebhookMessageRow } from '../tables.ts';

interface Page {
  readonly limit: number;
  readonly startingAfter: string | undefined;
}

const own = (db: Queryable<Tables>, tenant: Tenant) =>
  db
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment);

export async function findEndpoint(
  db: Queryable<Tables>,
  tenant: Tenant,
  id: string,
): Promise<WebhookEndpointRow | null> {
  return (await own(db, tenant).where('id', '=', id).executeTakeFirst()) ?? null;
}

/** For the operator, who knows no organization. The table is small: a few rows for each organization. */
export async function findEndpointAcrossTenants(db: Queryable<Tables>, id: string): Promise<WebhookEndpointRow | null> {
  return (await db.selectFrom('webhook_endpoints').selectAll().where('id', '=', id).executeTakeFirst()) ?? null;
}

export function listEndpoints(db: Queryable<Tables>, tenant: Tenant, page?: Page): Promise<WebhookEndpointRow[]> {
  let query = own(db, tenant).orderBy('id', 'desc');
  if (page !== undefined) query = query.limit(page.limit);
  if (page?.startingAfter !== undefined) query = query.where('id', '<', page.startingAfter);
  return query.execute();
}

/** Holds off others that would add one to the same organization until this transaction ends. */
export async function countEndpointsAlone(db: Queryable<Tables>, tenant: Tenant): Promise<number> {
  await db
    .selectFrom('organizations')
    .select('id')
    .where('id', '=', tenant.organizationId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  const { n } = await db
    .selectFrom('webhook_endpoints')
    .select(sql<number>`count(*)::int`.as('n'))
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment)
    .executeTakeFirstOrThrow();
  return n;
}

export async function insertEndpoint(db: Queryable<Tables>, row: WebhookEndpointRow): Promise<void> {
  await db.insertInto('webhook_endpoints').values(row).execute();
}

/** Null when it is not there. */
export async function updateEndpoint(
  db: Queryable<Tables>,
  tenant: Tenant,
  id: string,
  change: Updateable<WebhookEndpointRow>,
): Promise<WebhookEndpointRow | null> {
  if (Object.keys(change).length === 0) return findEndpoint(db, tenant, id);
  const row = await db
    .updateTable('webhook_endpoints')
    .set(change)
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** The secret that signs now becomes the one before. */
export const rotateSecret = (db: Queryable<Tables>, tenant: Tenant, id: string, secret: Buffer, oldUntil: Date) =>
  db
    .updateTable('webhook_endpoints')
    .set((eb) => ({ previous_secret: eb.ref('secret'), previous_secret_expires_at: oldUntil, secret }))
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();

/** The service turns it off for what `url` answered; null when it was off already, has succeeded since or has moved. */
export async function disableEndpoint(
  db: Queryable<Tables>,
  tenant: Tenant,
  { id, url }: { readonly id: string; readonly url: string },
  disabled: { reason: 'gone' } | { reason: 'failing'; since: Date },
): Promise<WebhookEndpointRow | null> {
  let query = db
    .updateTable('webhook_endpoints')
    .set({ active: false, disabled_reason: disabled.reason })
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .where('url', '=', url)
    .where('active', '=', true);
  if (disabled.reason === 'failing') query = query.where('failing_since', '<=', disabled.since);
  return (await query.returningAll().executeTakeFirst()) ?? null;
}

/** What was told stays in the messages; attempts and what is settled are forgotten with their age. */
export async function deleteEndpoint(db: Queryable<Tables>, tenant: Tenant, id: string): Promise<boolean> {
  // The endpoint before its deliveries, as everybody locks them.
  const { numDeletedRows } = await db
    .deleteFrom('webhook_endpoints')
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .executeTakeFirst();
  if (numDeletedRows === 0n) return false;
  await db
    .deleteFrom('webhook_deliveries')
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment)
    .where('endpoint_id', '=', id)
    .where('due_at', 'is not', null)
    .execute();
  return true;
}

/** Nothing waits for it any more. */
export async function giveUpWaiting(db: Queryable<Tables>, tenant: Tenant, endpointId: string): Promise<void> {
  await db
    .updateTable('webhook_deliveries')
    .set({ status: 'failed', due_at: null })
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment)
    .where('endpoint_id', '=', endpointId)
    .where('due_at', 'is not', null)
    .execute();
}

export type Again = { readonly message: string } | { readonly since: Date; readonly until: Date | undefined };

/** From the beginning of the schedule. What is under way may arrive twice. */
export async function redeliver(
  db: Queryable<Tables>,
  tenant: Tenant,
  endpointId: string,
  which: Again,
  dueAt: Date,
): Promise<number> {
  const query = db
    .updateTable('webhook_deliveries')
    .set({ status: 'pending', failures: 0, due_at: dueAt, claim: sql`claim + 1` })
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment)
    .where('endpoint_id', '=', endpointId);
  let chosen =
    'message' in which
      ? query.where('message_id', '=', which.message)
      : query.where('status', '=', sql.lit('failed')).where('created_at', '>=', which.since);
  if ('since' in which && which.until !== undefined) chosen = chosen.where('created_at', '<', which.until);
  return Number((await chosen.executeTakeFirst()).numUpdatedRows);
}

/** A message and where it stands with one endpoint; null when that was never to get it. */
export async function findMessageOf(db: Queryable<Tables>, tenant: Tenant, endpointId: string, id: string) {
  const row = await db
    .selectFrom('webhook_messages as m')
    .innerJoin('webhook_deliveries as d', (on) =>
      on.onRef('d.organization_id', '=', 'm.organization_id').onRef('d.message_id', '=', 'm.id'),
    )
    .select(['m.id', 'm.type', 'm.payload', 'm.created_at', 'd.status', 'd.failures', 'd.due_at'])
    .where('m.organization_id', '=', tenant.organizationId)
    .where('m.environment', '=', tenant.environment)
    .where('m.id', '=', id)
    .where('d.endpoint_id', '=', endpointId)
    .executeTakeFirst();
  return row ?? null;
}

export type MessageOfEndpoint = NonNullable<Awaited<ReturnType<typeof findMessageOf>>>;

/** Counting stops here: a person wants to know how bad it is, not the last digit. */
const MOST_COUNTED = 10_000;

export interface Backlog {
  readonly waiting: number;
  readonly given_up: number;
  readonly limit: number;
}

export async function countBacklog(db: Queryable<Tables>, tenant: Tenant, endpointId: string): Promise<Backlog> {
  const own = db
    .selectFrom('webhook_deliveries')
    .select('message_id')
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment)
    .where('endpoint_id', '=', endpointId)
    .limit(MOST_COUNTED);
  const count = async (rows: typeof own) => {
    const counted = db.selectFrom(rows.as('counted')).select(sql<number>`count(*)::int`.as('n'));
    return (await counted.executeTakeFirstOrThrow()).n;
  };
  const [waiting, given_up] = await Promise.all([
    count(own.where('due_at', 'is not', null)),
    count(own.where('status', '=', sql.lit('failed'))),
  ]);
  return { waiting, given_up, limit: MOST_COUNTED };
}

const ownAttempts = (db: Queryable<Tables>, tenant: Tenant, endpointId: string) =>
  db
    .selectFrom('webhook_attempts')
    .selectAll()
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment)
    .where('endpoint_id', '=', endpointId);

export async function hasAttempt(
  db: Queryable<Tables>,
  tenant: Tenant,
  endpointId: string,
  id: string,
): Promise<boolean> {
  return (await ownAttempts(db, tenant, endpointId).where('id', '=', id).executeTakeFirst()) !== undefined;
}

export function listAttempts(
  db: Queryable<Tables>,
  tenant: Tenant,
  endpointId: string,
  page: Page,
): Promise<WebhookAttemptRow[]> {
  let query = ownAttempts(db, tenant, endpointId).orderBy('id', 'desc').limit(page.limit);
  if (page.startingAfter !== undefined) query = query.where('id', '<', page.startingAfter);
  return query.execute();
}

/** One message for one endpoint, whatever that has chosen. */
export async function insertFor(
  db: Queryable<Tables>,
  endpointId: string,
  message: WebhookMessageRow,
  dueAt: Date,
): Promise<void> {
  await db.insertInto('webhook_messages').values(message).execute();
  await db
    .insertInto('webhook_deliveries')
    .values({
      organization_id: message.organization_id,
      environment: message.environment,
      message_id: message.id,
      endpoint_id: endpointId,
      status: 'pending',
      due_at: dueAt,
      created_at: message.created_at,
    })
    .execute();
}

const FORGET_MESSAGES = (before: Date, limit: number) => sql<{ n: number }>`
  with old as materialized (
    select organization_id, id from webhook_messages m
    where created_at < ${before} and not exists (
      select 1 from webhook_deliveries d
      where d.organization_id = m.organization_id and d.message_id = m.id and d.due_at is not null
    )
    order by created_at limit ${limit}
  ), deliveries as (
    delete from webhook_deliveries d using old where d.organization_id = old.organization_id and d.message_id = old.id
  ), messages as (
    delete from webhook_messages m using old where m.organization_id = old.organization_id and m.id = old.id
    returning 1
  )
  select count(*)::int as n from messages`;

const FORGET_ATTEMPTS = (before: Date, limit: number) => sql<{ n: number }>`
  with old as materialized (
    select organization_id, endpoint_id, id from webhook_attempts where created_at < ${before} order by created_at limit ${limit}
  ), attempts as (
    delete from webhook_attempts a using old
    where a.organization_id = old.organization_id and a.endpoint_id = old.endpoint_id and a.id = old.id
    returning 1
  )
  select count(*)::int as n from attempts`;

/** A batch of each; gives the larger number of rows, so that the caller knows whether there may be more. */
export async function forget(db: Queryable<Tables>, before: Date, limit: number): Promise<number> {
  const [messages] = (await FORGET_MESSAGES(before, limit).execute(db)).rows;
  const [attempts] = (await FORGET_ATTEMPTS(before, limit).execute(db)).rows;
  return Math.max(messages?.n ?? 0, attempts?.n ?? 0);
}
