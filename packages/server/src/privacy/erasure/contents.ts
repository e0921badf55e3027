import type { Tenant, Tx } from '../../db/tenancy.ts';
import { replaceResponse } from '../../http/idempotency/index.ts';
import type { ContentSeal } from '../../webhooks/index.ts';
import { erasePayload, eraseResponse, phoneInPayload } from './rules.ts';
import {
  eraseAnswers,
  listOptOutWebhooks,
  listWebhooks,
  lockResponses,
  replacePayload,
  type StoredMessage,
} from './store/contents.ts';

/** Replaces stored responses with the erased intros or events, so that a replay returns them. */
export async function eraseResponses(
  tx: Tx,
  tenant: Tenant,
  objectIds: readonly string[],
  erasedAt: Date,
): Promise<number> {
  let count = 0;
  for (const stored of await lockResponses(tx, tenant, objectIds)) {
    const erased = eraseResponse(stored.response, erasedAt);
    if (erased === stored.response) continue;
    await replaceResponse(tx, stored, erased);
    count += 1;
  }
  return count;
}

async function eraseMessages(
  contents: ContentSeal,
  tx: Tx,
  tenant: Tenant,
  { messages, erasedAt }: { readonly messages: readonly StoredMessage[]; readonly erasedAt: Date },
): Promise<number> {
  let count = 0;
  for (const message of messages) {
    const payload = contents.openPayload(message);
    const erased = erasePayload(payload, erasedAt);
    if (erased === payload) continue;
    await replacePayload(tx, tenant, message.id, contents.sealPayload(message, erased));
    count += 1;
  }
  await eraseAnswers(
    tx,
    tenant,
    messages.map(({ id }) => id),
  );
  return count;
}

/** Webhooks that are not sent yet are sent with the payload of the erased object. */
export const eraseWebhooks = async (
  contents: ContentSeal,
  tx: Tx,
  tenant: Tenant,
  { objectIds, erasedAt }: { readonly objectIds: readonly string[]; readonly erasedAt: Date },
): Promise<number> =>
  eraseMessages(contents, tx, tenant, { messages: await listWebhooks(tx, tenant, objectIds), erasedAt });

const BATCH = 200;

/** Erases the next webhooks that say that this number opted out. `position` is null after the last one. */
export async function eraseOptOutWebhooks(
  contents: ContentSeal,
  tx: Tx,
  tenant: Tenant,
  erasing: { readonly phone: string; readonly after: string; readonly before: Date; readonly erasedAt: Date },
): Promise<{ readonly count: number; readonly position: string | null }> {
  const { phone, after, before, erasedAt } = erasing;
  const found = await listOptOutWebhooks(tx, tenant, { after, before, limit: BATCH });
  const messages = found.filter((message) => phoneInPayload(contents.openPayload(message)) === phone);
  const count = await eraseMessages(contents, tx, tenant, { messages, erasedAt });
  return { count, position: found.length < BATCH ? null : (found.at(-1)?.id ?? null) };
}
