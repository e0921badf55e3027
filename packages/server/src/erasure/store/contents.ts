import { sql, type Transaction } from 'kysely';
import { forTenant, type Row, type Tables, type Tenant } from '../../db/tenancy.ts';
import type { StoredResponse } from '../../idempotency/index.ts';

/** Locks the stored responses about these intros or events. */
export const lockResponses = (
  tx: Transaction<Tables>,
  tenant: Tenant,
  objectIds: readonly string[],
): Promise<StoredResponse[]> =>
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

const messages = (tx: Transaction<Tables>, tenant: Tenant) =>
  forTenant(tx, tenant).selectFrom('webhook_messages').select(['organization_id', 'id', 'sealed_payload']);

/** The webhooks about these objects. */
export const listWebhooks = (
  tx: Transaction<Tables>,
  tenant: Tenant,
  objectIds: readonly string[],
): Promise<StoredMessage[]> =>
  messages(tx, tenant)
    .where('object_id', 'in', [...objectIds])
    .orderBy('id')
    .execute();

/** The next webhooks about opt-outs. The number is in the payload only. */
export const listOptOutWebhooks = (
  tx: Transaction<Tables>,
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

export async function replacePayload(
  tx: Transaction<Tables>,
  tenant: Tenant,
  id: string,
  sealed_payload: Buffer,
): Promise<void> {
  await forTenant(tx, tenant).updateTable('webhook_messages').set({ sealed_payload }).where('id', '=', id).execute();
}

/** Empties what receivers answered, because an answer may repeat the payload. */
export async function eraseAnswers(
  tx: Transaction<Tables>,
  tenant: Tenant,
  messageIds: readonly string[],
): Promise<void> {
  if (messageIds.length === 0) return;
  await sql`
    update webhook_attempts set sealed_answer = null
    where ${forTenant(tx, tenant).owns()} and message_id = any(${[...messageIds]}::text[])
      and sealed_answer is not null`.execute(tx);
}
