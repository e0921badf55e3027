import type { Tenant, Tx } from '../db/tenancy.ts';
import { notifyOfReply } from '../delivery/index.ts';
import { type IntroEvents, lockForViewing, type NewReply, storeReply } from '../intros/index.ts';
import { applyBeacon } from './beacon.ts';
import { pageStateOf } from './rules.ts';

export interface ReplyDeps {
  readonly introEvents: IntroEvents;
}

/**
 * Applies a reply with its webhook and the notification of the member, all in the caller's transaction. `closed`: the page shows no
 * video (any more). Also marks the intro as opened: without JavaScript, the page reports nothing.
 */
export async function applyReply(
  deps: ReplyDeps,
  tx: Tx,
  page: { readonly tenant: Tenant; readonly introId: string },
  reply: NewReply,
  now: Date,
): Promise<'stored' | 'repeated' | 'too_many' | 'closed'> {
  const { tenant, introId } = page;
  const intro = await lockForViewing(tx, tenant, introId);
  if (intro === null || intro.taken_down_at !== null) return 'closed';
  if (pageStateOf({ status: intro.status, sentAt: intro.sent_at, isVideoRemoved: false }, now) !== 'open')
    return 'closed';
  await applyBeacon(deps, tx, page, { what: 'opened' }, now);
  const outcome = await storeReply(deps, tx, page, reply, now);
  if (typeof outcome !== 'number') return outcome;
  await notifyOfReply(tx, tenant, { introId, number: outcome }, now);
  return 'stored';
}
