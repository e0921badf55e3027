import type { AuditAction, IntroStatus, Responsibility } from '@foreword/contract';
import type { Tenant, Tx } from '../db/tenancy.ts';
import { ApiError } from '../platform/errors.ts';
import { ID_PATTERN } from '../platform/ids.ts';
import { recordChange } from '../privacy/audit/index.ts';
import type { IntroEvent, IntroEvents } from './publishing.ts';
import {
  explainNotCancelled,
  explainNotMarked,
  explainNotRequested,
  explainNotTakenDown,
  MOVES,
  noSuchIntro,
} from './rules.ts';
import { moveToCancelled, moveToSentBySender, takeDownPage } from './store/transitions.ts';
import { findIntro } from './store.ts';

interface ManualAction {
  readonly introId: string;
  /** The member or API key who decided it. Null: the operator. */
  readonly by: string | null;
}

/** Runs in the caller's transaction. Returns null, or why the intro did not change. */
type ManualMove = (
  deps: { introEvents: IntroEvents },
  tx: Tx,
  tenant: Tenant,
  wanted: ManualAction,
  now: Date,
) => Promise<ApiError | null>;

/** Without an `audit` action, the move appears in the timeline only. */
const manually =
  (
    { type, audit }: { readonly type: IntroEvent['type']; readonly audit: AuditAction | null },
    apply: (tx: Tx, tenant: Tenant, wanted: ManualAction, now: Date) => Promise<boolean>,
    explain: (status: IntroStatus, responsibility: Responsibility) => ApiError | null,
  ): ManualMove =>
  async ({ introEvents }, tx, tenant, wanted, now) => {
    const { introId, by } = wanted;
    if (!ID_PATTERN.test(introId)) return noSuchIntro();
    if (await apply(tx, tenant, wanted, now)) {
      await introEvents.publish(tx, [{ tenant, introId, type }], now);
      if (audit !== null) await recordChange(tx, tenant, { action: audit, object: introId, by });
      return null;
    }
    const row = await findIntro(tx, tenant, introId);
    return row === null ? noSuchIntro() : explain(row.status, row.responsibility);
  };

export const cancelManually = manually(
  { type: 'intro.cancelled', audit: 'intro.cancelled' },
  (tx, tenant, { introId, by }, now) => moveToCancelled(tx, tenant, introId, by, now),
  explainNotCancelled,
);

const markSent = (byHand: boolean): ManualMove =>
  manually(
    { type: 'intro.sent', audit: null },
    (tx, tenant, { introId }, now) => moveToSentBySender(tx, tenant, introId, { byHand, now }),
    explainNotMarked,
  );

/** For an intro that a member sent themselves. */
export const markSentManually = markSent(true);

/** For an intro that the integration delivers. */
export const markSentByIntegration = markSent(false);

/** Taking a page down twice is harmless. */
export const takeDownManually = manually(
  { type: 'intro.taken_down', audit: 'intro.taken_down' },
  (tx, tenant, { introId, by }, now) => takeDownPage(tx, tenant, introId, by, now),
  explainNotTakenDown,
);

const isOneOf = (status: IntroStatus, some: readonly IntroStatus[]): boolean => some.includes(status);

/** Taking a page down again changes nothing, so the console offers it only once. */
function explainNoPage(status: IntroStatus, takenDownAt: Date | null): ApiError | null {
  if (takenDownAt !== null) return new ApiError('intro_closed', 'The page of this intro was already taken down.');
  return status === 'sent'
    ? null
    : (explainNotTakenDown(status) ?? new ApiError('intro_closed', 'The links of this intro no longer work.'));
}

/** Why each action is not possible now; null if it is. */
export function checkMoves({
  status,
  responsibility,
  delivery_error_code,
  taken_down_at: takenDownAt,
  hasPendingTake,
}: {
  readonly status: IntroStatus;
  readonly responsibility: Responsibility;
  readonly delivery_error_code: string | null;
  readonly taken_down_at: Date | null;
  readonly hasPendingTake: boolean;
}): Record<'cancel' | 'reassign' | 'markSent' | 'takeDown', ApiError | null> {
  const isBySender = responsibility === 'integration' || delivery_error_code !== null;
  const isMarkable = isOneOf(status, MOVES.send.from) && isBySender;
  return {
    cancel: isOneOf(status, MOVES.cancel.from) ? null : explainNotCancelled(status),
    reassign: status === 'requested' && !hasPendingTake ? null : explainNotRequested(status),
    // Marking twice is harmless, but the console offers it only once.
    markSent: isMarkable
      ? null
      : (explainNotMarked(status, responsibility) ?? new ApiError('intro_closed', 'This intro was already sent.')),
    takeDown: explainNoPage(status, takenDownAt),
  };
}
