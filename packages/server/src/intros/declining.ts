import type { Tenant, Tx } from '../db/tenancy.ts';
import { ApiError, invalid } from '../platform/errors.ts';
import { ID_PATTERN } from '../platform/ids.ts';
import type { IntroEvents } from './publishing.ts';
import type { Reassign } from './reassignment.ts';
import { DECLINES_PER_HOUR, declineTimes, explainNotDeclined, HAND_OVERS_PER_DAY, noSuchIntro } from './rules.ts';
import { findDeclineState, insertDecline, type NewDecline } from './store/declines.ts';
import { countHandOvers } from './store/reassignment.ts';

/** Runs in the caller's transaction. Returns null, or why the intro was not declined. Declining twice changes nothing. */
export type Decline = (tx: Tx, tenant: Tenant, wanted: NewDecline, now: Date) => Promise<ApiError | null>;

interface DeclineDeps {
  readonly introEvents: IntroEvents;
  /** Drops what is scheduled for the member. Passed in, because delivery imports this module. */
  dropMemberMessages(tx: Tx, tenant: Tenant, introId: string, now: Date): Promise<void>;
  /** Emails owners and managers. */
  notifyTeam(tx: Tx, tenant: Tenant, declined: NewDecline): Promise<void>;
}

const RETRY_AFTER_S = 600;
const TOO_MANY_DECLINES =
  'You declined many intros in the last hour. Try again later, or ask an owner or a manager to reassign them.';
const TOO_MANY_HAND_OVERS = 'This intro was handed over many times today. Ask an owner or a manager to reassign it.';

const tooMany = (message: string): ApiError => new ApiError('rate_limited', message, { retryAfterS: RETRY_AFTER_S });

/** The member does not record the intro: it stays open, and owners and managers decide what happens to it. */
export function createDecline({ introEvents, dropMemberMessages, notifyTeam }: DeclineDeps): Decline {
  return async (tx, tenant, wanted, now) => {
    const { introId, memberId, reason, message, byText = false } = wanted;
    if (!ID_PATTERN.test(introId)) return noSuchIntro();
    // A text such as "NO" has no words of its own.
    if (reason === 'other' && !byText && (message === null || message.trim() === '')) {
      return invalid('message', 'is required for the reason other');
    }
    const { uploadingSince, hourAgo } = declineTimes(now);
    const limits = { uploadingSince, perMember: DECLINES_PER_HOUR, countedSince: hourAgo };
    if (!(await insertDecline(tx, tenant, wanted, limits, now))) {
      const state = await findDeclineState(tx, tenant, introId, uploadingSince);
      if (state?.member_id === memberId && state.status === 'requested' && state.is_declined) return null;
      return explainNotDeclined(state, memberId, now) ?? tooMany(TOO_MANY_DECLINES);
    }
    await dropMemberMessages(tx, tenant, introId, now);
    await notifyTeam(tx, tenant, wanted);
    await introEvents.publish(tx, [{ tenant, introId, type: 'intro.declined' }], now);
    return null;
  };
}

export interface HandOver {
  readonly introId: string;
  /** The member who should record the intro, and hands it over. */
  readonly from: string;
  readonly to: string;
  /** The member did it with a text. */
  readonly byText?: boolean;
}

/** Reassigns the intro of the member `from`. Runs in the caller's transaction. Returns null, or why it was not reassigned. */
export async function handOver(
  { reassign }: { reassign: Reassign },
  tx: Tx,
  tenant: Tenant,
  { introId, from, to, byText = false }: HandOver,
  now: Date,
): Promise<ApiError | null> {
  if (!ID_PATTERN.test(introId)) return noSuchIntro();
  const { uploadingSince, dayAgo } = declineTimes(now);
  const state = await findDeclineState(tx, tenant, introId, uploadingSince);
  const refusal = state?.status === 'requested' && !state.is_uploading ? null : explainNotDeclined(state, from, now);
  if (refusal !== null) return refusal;
  if ((await countHandOvers(tx, tenant, introId, dayAgo)) >= HAND_OVERS_PER_DAY) return tooMany(TOO_MANY_HAND_OVERS);
  return reassign(tx, tenant, { introId, memberId: to, by: from, from, byText }, now);
}
