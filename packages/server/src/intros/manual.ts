import type { Transaction } from 'kysely';
import { ApiError } from '../platform/errors.ts';
import { ID_PATTERN } from '../platform/ids.ts';
import type { IntroStatus, Tables, Tenant } from '../tables.ts';
import type { IntroEvent, IntroEvents } from './publishing.ts';
import { explainNotCancelled, explainNotMarked, explainNotRequested, MOVES, noSuchIntro } from './rules.ts';
import { findIntro, moveToCancelled, moveToSentByCaller } from './store.ts';

export interface ByHand {
  readonly introId: string;
  /** The member who decided it. */
  readonly by: string;
}

interface Move {
  readonly eventType: IntroEvent['type'];
  apply(): Promise<boolean>;
  explain(status: IntroStatus, responsibility: 'integration' | 'service'): ApiError | null;
}

async function move(
  { introEvents }: { introEvents: IntroEvents },
  tx: Transaction<Tables>,
  tenant: Tenant,
  { introId }: ByHand,
  step: Move & { now: Date },
): Promise<ApiError | null> {
  if (!ID_PATTERN.test(introId)) return noSuchIntro();
  if (await step.apply()) {
    await introEvents.publish(tx, [{ tenant, introId, type: step.eventType }], step.now);
    return null;
  }
  const row = await findIntro(tx, tenant, introId);
  return row === null ? noSuchIntro() : step.explain(row.status, row.responsibility);
}

/** In the caller's transaction. Gives why it was not done; null when it was. */
export const cancelManually = (
  deps: { introEvents: IntroEvents },
  tx: Transaction<Tables>,
  tenant: Tenant,
  wanted: ByHand,
  now: Date,
): Promise<ApiError | null> =>
  move(deps, tx, tenant, wanted, {
    now,
    eventType: 'intro.cancelled',
    apply: () => moveToCancelled(tx, tenant, wanted.introId, wanted.by, now),
    explain: explainNotCancelled,
  });

/** The same for what a person brought on its way themselves. */
export const markSentManually = (
  deps: { introEvents: IntroEvents },
  tx: Transaction<Tables>,
  tenant: Tenant,
  wanted: ByHand,
  now: Date,
): Promise<ApiError | null> =>
  move(deps, tx, tenant, wanted, {
    now,
    eventType: 'intro.sent',
    apply: () => moveToSentByCaller(tx, tenant, wanted.introId, now),
    explain: explainNotMarked,
  });

const sentAlready = () => new ApiError('intro_closed', 'This intro was sent already.');

const isOneOf = (status: IntroStatus, some: readonly IntroStatus[]): boolean => some.includes(status);

/** What stands against each of them now; null: nothing does. */
export function checkMoves({
  status,
  responsibility,
  hasTakeUnderWay,
}: {
  readonly status: IntroStatus;
  readonly responsibility: 'integration' | 'service';
  readonly hasTakeUnderWay: boolean;
}): { readonly cancel: ApiError | null; readonly reassign: ApiError | null; readonly markSent: ApiError | null } {
  const isMarkable = isOneOf(status, MOVES.send.from) && responsibility === 'integration';
  return {
    cancel: isOneOf(status, MOVES.cancel.from) ? null : explainNotCancelled(status),
    reassign: status === 'requested' && !hasTakeUnderWay ? null : explainNotRequested(status),
    // Saying it twice does no harm, but nobody is offered to.
    markSent: isMarkable ? null : (explainNotMarked(status, responsibility) ?? sentAlready()),
  };
}
