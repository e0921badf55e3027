import { sql } from 'kysely';
import { forTenant, type Row, type Tenant, type Tx } from '../../../db/tenancy.ts';
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

/** The next webhooks about opt-outs. The number is in the payload only. */
export const listOptOutWebhooks = (
  tx: Tx,
  tenant: Tenant,
  { after, before, limit }: { readonly after: string; readonly before: Date; readonly limit: number },
): Promise<StoredMessage[]> =>
  messages(tx, tenant)
    .where('type', '=', 'recipient.opted_out')
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
