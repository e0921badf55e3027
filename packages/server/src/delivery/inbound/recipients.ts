import { PAGE_LIFE_DAYS } from '@foreword/contract';
import type { Transaction } from 'kysely';
import { type IntroEvents, lockForViewing, storeReply } from '../../intros/index.ts';
import type { Tables, Tenant } from '../../tables.ts';
import { notifyOfReply } from '../store/member-messages.ts';

const DAY_MS = 86_400_000;

/**
 * Stores a reply to the text with its webhook and the notification of the member, all in the caller's transaction. `closed`: the page
 * shows no video any more.
 */
export async function storeTextReply(
  { introEvents }: { readonly introEvents: IntroEvents },
  tx: Transaction<Tables>,
  { tenant, introId }: { readonly tenant: Tenant; readonly introId: string },
  message: string,
  now: Date,
): Promise<'stored' | 'repeated' | 'too_many' | 'closed'> {
  const intro = await lockForViewing(tx, tenant, introId);
  if (intro?.status !== 'sent' || intro.sent_at === null || intro.taken_down_at !== null) return 'closed';
  if (intro.sent_at.getTime() + PAGE_LIFE_DAYS * DAY_MS <= now.getTime()) return 'closed';
  const outcome = await storeReply({ introEvents }, tx, { tenant, introId }, { type: 'message', message }, now);
  if (typeof outcome !== 'number') return outcome;
  await notifyOfReply(tx, tenant, { introId, number: outcome }, now);
  return 'stored';
}
