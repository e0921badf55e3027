import { sql } from 'kysely';
import { acrossTenants, type Db, forTenant, type Row, type Tenant } from '../../db/tenancy.ts';
import type { Page } from '../store.ts';
import { WAKE_CHANNEL, wakePayload } from './publishing.ts';

/** Wakes a sender after the transaction. */
export const wakeSender = (db: Db, { organizationId }: Tenant, endpointId: string) =>
  sql`select hint(${WAKE_CHANNEL}, ${wakePayload(organizationId, endpointId)})`.execute(db);

/** Marks every pending delivery to this endpoint as failed. */
export async function failPending(db: Db, tenant: Tenant, endpointId: string): Promise<void> {
  await forTenant(db, tenant)
    .updateTable('webhook_deliveries')
    .set({ status: 'failed', due_at: null })
    .where('endpoint_id', '=', endpointId)
    .where('due_at', 'is not', null)
    .execute();
}

export type ReplaySelection = { readonly message: string } | { readonly since: Date; readonly until: Date | undefined };

/** Restarts the retry schedule. A delivery with an attempt in flight may arrive twice. */
export async function redeliver(
  db: Db,
  tenant: Tenant,
  endpointId: string,
  selection: ReplaySelection,
  dueAt: Date,
): Promise<number> {
  const query = forTenant(db, tenant)
    .updateTable('webhook_deliveries')
    .set({ status: 'pending', failures: 0, due_at: dueAt, claim: sql`claim + 2` })
    .where('endpoint_id', '=', endpointId);
  let selected =
    'message' in selection
      ? query.where('message_id', '=', selection.message)
      : query.where('status', '=', sql.lit('failed')).where('created_at', '>=', selection.since);
  if ('since' in selection && selection.until !== undefined) {
    selected = selected.where('created_at', '<', selection.until);
  }
  return Number((await selected.executeTakeFirst()).numUpdatedRows);
}

/** Counting stops here, so that it stays fast. */
const BACKLOG_LIMIT = 10_000;

export interface Backlog {
  readonly waiting: number;
  readonly given_up: number;
  readonly limit: number;
}

export async function countBacklog(db: Db, tenant: Tenant, endpointId: string): Promise<Backlog> {
  const deliveries = forTenant(db, tenant)
    .selectFrom('webhook_deliveries')
    .select('message_id')
    .where('endpoint_id', '=', endpointId)
    .limit(BACKLOG_LIMIT);
  const count = async (rows: typeof deliveries) => {
    const counted = acrossTenants(db).selectFrom(rows.as('counted')).select(sql<number>`count(*)::int`.as('n'));
    return (await counted.executeTakeFirstOrThrow()).n;
  };
  const [waiting, given_up] = await Promise.all([
    count(deliveries.where('due_at', 'is not', null)),
    count(deliveries.where('status', '=', sql.lit('failed'))),
  ]);
  return { waiting, given_up, limit: BACKLOG_LIMIT };
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
  const scope = forTenant(db, { organizationId: organization_id, environment });
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
