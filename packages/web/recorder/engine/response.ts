import { errorIn, saysClosed, saysUnknown } from './state.ts';
import { type Answer, countIn } from './tus.ts';
import type { ClosedReason } from './types.ts';

/** The server rejected this take. `message` is a sentence for the member. */
export class UploadFailed extends Error {
  /** Set if the intro was closed in the meantime. */
  readonly closed: ClosedReason | null;
  constructor(message: string, closed: ClosedReason | null = null) {
    super(message);
    this.closed = closed;
  }
}

export type Outcome =
  | { kind: 'ok' }
  /** No response, or one that is not from our server: wait for signal. */
  | { kind: 'retry'; afterMs?: number; isServerFull?: boolean }
  /** The server has another offset, or is still busy with an earlier connection: query the offset. */
  | { kind: 'ask_offset'; afterMs: number }
  /** The link does not exist, according to the service itself. */
  | { kind: 'unknown' }
  /** The upload is unknown: completed, deleted or expired. If the response is not tus, it may come from a proxy. */
  | { kind: 'gone'; inTus: boolean }
  | { kind: 'closed'; closed: ClosedReason }
  | { kind: 'refused'; message: string };

const BUSY_MS = 500;
const MESSAGES: Record<number, string> = {
  404: 'This link no longer works. Ask the office for a new one.',
  413: 'This video is too large. Record a shorter one.',
  415: 'This type of video is not supported. Record it with another browser.',
  429: 'You reached the limit of videos per day. Try again tomorrow.',
};
const REFUSED = 'This video could not be accepted. Record it again.';
const SENT = 'This video was already sent.';
/** From a proxy between the phone and the server, or temporary. */
const TEMPORARY = new Set([401, 403, 407, 408, 421, 425]);
const LONGEST_PAUSE_S = 60;
/** A member waits for it. */
const LONGEST_FULL_PAUSE_S = 10;

/** Classifies the response to an upload request. `expected`: the statuses of success. */
export function classifyResponse(answer: Answer, expected: readonly number[]): Outcome {
  if (!answer) return { kind: 'retry' };
  const { status, body } = answer;
  if (expected.includes(status)) return { kind: 'ok' };
  if (status === 410 && saysClosed(body)) return { kind: 'closed', closed: body.closed };
  if (status === 410 && saysSent(body)) return { kind: 'refused', message: SENT };
  if (status === 409) return { kind: 'ask_offset', afterMs: 0 };
  if (status === 423) return { kind: 'ask_offset', afterMs: BUSY_MS };
  if (status === 404 && saysUnknown(body)) return { kind: 'unknown' };
  if (status === 404 || status === 410) return { kind: 'gone', inTus: answer.header('Tus-Resumable') !== null };
  if (status === 503 && errorIn(body)?.code === 'storage_full') {
    const seconds = Math.min(countIn(answer, 'Retry-After') ?? LONGEST_FULL_PAUSE_S, LONGEST_FULL_PAUSE_S);
    return { kind: 'retry', afterMs: seconds * 1_000, isServerFull: true };
  }
  if (status < 400 || status >= 500 || TEMPORARY.has(status)) return { kind: 'retry' };
  // A 429 without Retry-After means too many takes, not too many requests.
  const retryAfter = status === 429 ? countIn(answer, 'Retry-After') : null;
  if (retryAfter !== null) return { kind: 'retry', afterMs: Math.min(retryAfter, LONGEST_PAUSE_S) * 1_000 };
  return { kind: 'refused', message: sentenceIn(body) ?? MESSAGES[status] ?? REFUSED };
}

export const LINK_GONE = MESSAGES[404] ?? REFUSED;
export const FILE_GONE = 'This video can no longer be read. Choose it again.';

const saysSent = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'closed' in body && body.closed === 'sent';

function sentenceIn(body: unknown): string | null {
  const { message } = errorIn(body) ?? {};
  return typeof message === 'string' ? message : null;
}
