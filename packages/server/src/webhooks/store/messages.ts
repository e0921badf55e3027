import type { WebhookMessageStatus } from '@foreword/contract';
import { sql } from 'kysely';
import { type Db, forTenant, type Tenant } from '../../db/tenancy.ts';
import { idBound } from '../../platform/ids.ts';
import type { Period } from '../../platform/paging.ts';
import type { Page } from '../store.ts';

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

/** Without an endpoint: the delivery to the oldest one. Null if there is none. */
export async function findMessage(
  db: Db,
  tenant: Tenant,
  id: string,
  endpointId: string | undefined,
): Promise<EndpointMessageRow | null> {
  let query = selectMessages(db, tenant).where('d.message_id', '=', id);
  if (endpointId !== undefined) query = query.where('d.endpoint_id', '=', endpointId);
  return (await query.orderBy('d.endpoint_id').limit(1).executeTakeFirst()) ?? null;
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
