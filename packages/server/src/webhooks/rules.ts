/** What a receiver has until its whole answer is there. */
export const TIMEOUT_MS = 15_000;
/** After the first attempt: 27 hours in all, so that a receiver may be down for a night and a morning. */
export const RETRY_DELAYS_S = [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000] as const;
/** Spread around the delay, so that those that failed together do not come back together. */
const JITTER = 0.1;
/** An endpoint that only fails for so long is turned off. */
const FAILING_LIFE_MS = 5 * 86_400_000;
/** How long the old secret signs beside the new one. */
const ROTATION_MS = 86_400_000;
/** What is remembered of messages and attempts. */
const KEPT_MS = 30 * 86_400_000;
export const MAX_ENDPOINTS = 20;
export const ANSWER_KEPT_BYTES = 1_024;
/**
 * A worker whose clock is a little behind that of the API must find what it is woken for, so a new message is due from a moment
 * before it was made.
 */
const CLOCK_TOLERANCE_MS = 2_000;

const GONE = 410;

/** Whether an endpoint that chose these gets events of this type. */
export const wants = (choices: readonly string[], type: string): boolean =>
  choices.some((choice) => choice === '*' || choice === type || choice === `${type.split('.')[0]}.*`);

export const oldSecretExpiry = (now: Date): Date => new Date(now.getTime() + ROTATION_MS);
export const dueAtOnce = (now: Date): Date => new Date(now.getTime() - CLOCK_TOLERANCE_MS);
export const forgottenBefore = (now: Date): Date => new Date(now.getTime() - KEPT_MS);
export const hopelessSince = (now: Date): Date => new Date(now.getTime() - FAILING_LIFE_MS);

/** When a message that has failed so often is sent again; null when it is given up. `chance` is from 0 up to 1. */
export function nextAttemptAt(failures: number, now: Date, chance: number): Date | null {
  const delayS = RETRY_DELAYS_S[failures - 1];
  if (delayS === undefined) return null;
  return new Date(now.getTime() + delayS * 1000 * (1 + JITTER * (2 * chance - 1)));
}

export interface Heard {
  /** Null: no answer at all. */
  readonly status: number | null;
  /** Null: the answer came in full. */
  readonly fault: string | null;
}

export interface Verdict {
  readonly succeeded: boolean;
  /** The receiver says that there will never be anything here again. */
  readonly isGone: boolean;
  /** For the endpoint's owner. */
  readonly error: string | null;
}

export function judge({ status, fault }: Heard): Verdict {
  if (status === null || fault !== null)
    return { succeeded: false, isGone: false, error: fault ?? 'There was no answer.' };
  if (status >= 200 && status < 300) return { succeeded: true, isGone: false, error: null };
  const redirects = status >= 300 && status < 400 ? ' Redirects are not followed.' : '';
  return { succeeded: false, isGone: status === GONE, error: `Answered with ${status}.${redirects}` };
}
