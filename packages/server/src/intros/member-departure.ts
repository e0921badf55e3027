import type { Tenant, Tx } from '../db/tenancy.ts';
import { recordChange } from '../privacy/audit/index.ts';
import type { IntroEvent, IntroEvents } from './publishing.ts';
import type { Reassign } from './reassignment.ts';
import { lockOpenByMember } from './store/member-intros.ts';
import { moveToCancelled } from './store/transitions.ts';

/** The action for an open intro of a member who leaves. An intro that is left open can still be recorded with its link. */
export type OpenIntroAction =
  | { readonly action: 'cancel' | 'leave' }
  | { readonly action: 'reassign'; readonly to: string };

interface Settled {
  readonly reassigned: number;
  readonly cancelled: number;
  readonly left: number;
}

interface Departure {
  readonly tenant: Tenant;
  readonly memberId: string;
  /** The id of the member or of the API key that decided it. */
  readonly by: string | null;
}

/** Runs in the transaction that deactivates the member. Intros recorded at the last moment cannot be moved and are left. */
export async function settleOpenIntros(
  { reassign, introEvents }: { reassign: Reassign; introEvents: IntroEvents },
  tx: Tx,
  { tenant, memberId, by }: Departure,
  actionFor: (intro: { id: string; isRecorded: boolean }) => OpenIntroAction,
  now: Date,
): Promise<Settled> {
  const open = await lockOpenByMember(tx, tenant, memberId);
  const cancelled: IntroEvent[] = [];
  let reassigned = 0;
  for (const { id, status } of open) {
    const chosen = actionFor({ id, isRecorded: status === 'ready' });
    if (chosen.action === 'cancel' && (await moveToCancelled(tx, tenant, id, by, now))) {
      cancelled.push({ tenant, introId: id, type: 'intro.cancelled' });
      await recordChange(tx, tenant, { action: 'intro.cancelled', object: id, by });
    }
    if (chosen.action !== 'reassign') continue;
    const refusal = await reassign(tx, tenant, { introId: id, memberId: chosen.to, by }, now);
    if (refusal === null) reassigned += 1;
    else if (refusal.field !== undefined) throw refusal;
  }
  await introEvents.publish(tx, cancelled, now);
  return { reassigned, cancelled: cancelled.length, left: open.length - reassigned - cancelled.length };
}
