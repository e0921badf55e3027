import type { Transaction } from 'kysely';
import type { Links } from '../links/index.ts';
import type { Tables, Tenant } from '../tables.ts';
import { lockOpenByMember } from './of-member.ts';
import type { IntroEvent, IntroEvents } from './publishing.ts';
import { reassign } from './reassigning.ts';
import { moveToCancelled } from './store.ts';

/** What becomes of an open intro whose member leaves. Left, it stays as it is: whoever has its link can still record. */
export type OpenIntroAction =
  | { readonly action: 'cancel' | 'leave' }
  | { readonly action: 'reassign'; readonly to: string };

interface Settled {
  readonly reassigned: number;
  readonly cancelled: number;
  readonly left: number;
}

interface Leaving {
  readonly tenant: Tenant;
  readonly memberId: string;
  /** The member who decided it. */
  readonly by: string;
}

/** In the transaction in which the member leaves. What cannot be moved any more, as it was just recorded, is left. */
export async function settleOpenIntros(
  deps: { links: Links; introEvents: IntroEvents },
  tx: Transaction<Tables>,
  { tenant, memberId, by }: Leaving,
  partingOf: (intro: { id: string; isRecorded: boolean }) => OpenIntroAction,
  now: Date,
): Promise<Settled> {
  const open = await lockOpenByMember(tx, tenant, memberId);
  const cancelled: IntroEvent[] = [];
  let reassigned = 0;
  for (const { id, status } of open) {
    const parting = partingOf({ id, isRecorded: status === 'ready' });
    if (parting.action === 'cancel' && (await moveToCancelled(tx, tenant, id, by, now))) {
      cancelled.push({ tenant, introId: id, type: 'intro.cancelled' });
    }
    if (parting.action !== 'reassign') continue;
    const refusal = await reassign(deps, tx, tenant, { introId: id, memberId: parting.to, by }, now);
    if (refusal === null) reassigned += 1;
    else if (refusal.field !== undefined) throw refusal;
  }
  await deps.introEvents.publish(tx, cancelled, now);
  return { reassigned, cancelled: cancelled.length, left: open.length - reassigned - cancelled.length };
}
