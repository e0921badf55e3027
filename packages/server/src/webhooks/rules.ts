import { DAY_MS } from '@foreword/contract';

/** Time limit for a complete response. */
export const TIMEOUT_MS = 15_000;
/** 27 hours in total, so that a receiver may be down overnight. */
export const RETRY_DELAYS_S = [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000] as const;
/** Spreads retries around the delay, so that deliveries that failed together are not retried together. */
const JITTER = 0.1;
/** An endpoint that has failed for this long without a success is disabled. */
const MAX_FAILING_MS = 5 * DAY_MS;
/** How long the previous secret still signs after a rotation. */
const ROTATION_MS = DAY_MS;
export const MAX_ENDPOINTS = 20;
export const STORED_RESPONSE_BYTES = 1_024;
/** A sender whose clock is slightly behind must find the messages it is woken for, so they are due before their creation. */
const CLOCK_TOLERANCE_MS = 2_000;

const GONE = 410;

/** Whether the selected event types of an endpoint include this type. */
export const isSubscribedTo = (choices: readonly string[], type: string): boolean =>
  choices.some((choice) => choice === '*' || choice === type || choice === `${type.split('.')[0]}.*`);

export const previousSecretExpiry = (now: Date): Date => new Date(now.getTime() + ROTATION_MS);
export const newMessageDueAt = (now: Date): Date => new Date(now.getTime() - CLOCK_TOLERANCE_MS);
/** An endpoint that has been failing since before this time is disabled. */
export const disabledIfFailingSince = (now: Date): Date => new Date(now.getTime() - MAX_FAILING_MS);

/** The time of the next attempt after this many failures, or null after the last one. `chance` is in [0, 1). */
export function nextAttemptAt(failures: number, now: Date, chance: number): Date | null {
  const delayS = RETRY_DELAYS_S[failures - 1];
  if (delayS === undefined) return null;
  return new Date(now.getTime() + delayS * 1000 * (1 + JITTER * (2 * chance - 1)));
}

interface AttemptResponse {
  /** Null if there was no response. */
  readonly status: number | null;
  /** Null if the response was complete. */
  readonly fault: string | null;
}

export interface AttemptResult {
  readonly succeeded: boolean;
  /** The receiver says that this URL is permanently gone. */
  readonly isGone: boolean;
  /** Shown to the owner of the endpoint. */
  readonly error: string | null;
}

export function classifyResponse({ status, fault }: AttemptResponse): AttemptResult {
  if (status === null || fault !== null) {
    return { succeeded: false, isGone: false, error: fault ?? 'There was no response.' };
  }
  if (status >= 200 && status < 300) return { succeeded: true, isGone: false, error: null };
  const redirects = status >= 300 && status < 400 ? ' Redirects are not followed.' : '';
  return { succeeded: false, isGone: status === GONE, error: `Responded with ${status}.${redirects}` };
}
