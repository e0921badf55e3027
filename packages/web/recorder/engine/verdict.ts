import { errorIn, saysClosed, saysUnknown } from './state.ts';
import { type Answer, countIn } from './tus.ts';
import type { ClosedReason } from './types.ts';

/** The server will not have this take. `message` is a sentence for the member. */
export class UploadFailed extends Error {
  /** Set when the intro was closed meanwhile. */
  readonly closed: ClosedReason | null;
  constructor(message: string, closed: ClosedReason | null = null) {
    super(message);
    this.closed = closed;
  }
}

export type Verdict =
  | { kind: 'ok' }
  /** No answer, or one that is not our server's: wait for signal. */
  | { kind: 'retry'; afterMs?: number }
  /** The server counts differently, or is still busy with an earlier connection: ask where it is. */
  | { kind: 'ask_offset'; afterMs: number }
  /** The link leads nowhere: the service itself says so. */
  | { kind: 'unknown' }
  /** The upload is not known: done already, thrown away, or expired. Unless it is said in tus, perhaps by a wall in between. */
  | { kind: 'gone'; inTus: boolean }
  | { kind: 'closed'; closed: ClosedReason }
  | { kind: 'refused'; message: string };

const BUSY_MS = 500;
const MESSAGES: Record<number, string> = {
  404: 'This link no longer works. Ask the office for a new one.',
  413: 'This video is too large. Record a shorter one.',
  415: 'This kind of video cannot be taken. Record it with another browser.',
  429: 'That is the most takes for one day. Try again tomorrow.',
};
const REFUSED = 'This video could not be taken. Record it again.';
const SENT = 'This message has gone out already.';
/** From a wall between the phone and the server, or for a while only. */
const PASSING = new Set([401, 403, 407, 408, 421, 425]);
const LONGEST_PAUSE_S = 60;

/** What an answer to a request of the upload means. `expected`: what says that all went well. */
export function judge(answer: Answer, expected: readonly number[]): Verdict {
  if (!answer) return { kind: 'retry' };
  const { status, body } = answer;
  if (expected.includes(status)) return { kind: 'ok' };
  if (status === 410 && saysClosed(body)) return { kind: 'closed', closed: body.closed };
  if (status === 410 && saysSent(body)) return { kind: 'refused', message: SENT };
  if (status === 409) return { kind: 'ask_offset', afterMs: 0 };
  if (status === 423) return { kind: 'ask_offset', afterMs: BUSY_MS };
  if (status === 404 && saysUnknown(body)) return { kind: 'unknown' };
  if (status === 404 || status === 410) return { kind: 'gone', inTus: answer.header('Tus-Resumable') !== null };
  if (status < 400 || status >= 500 || PASSING.has(status)) return { kind: 'retry' };
  // Without a time to wait it is not the pace that is too much, but the number of takes.
  const retryAfter = status === 429 ? countIn(answer, 'Retry-After') : null;
  if (retryAfter !== null) return { kind: 'retry', afterMs: Math.min(retryAfter, LONGEST_PAUSE_S) * 1_000 };
  return { kind: 'refused', message: sentenceIn(body) ?? MESSAGES[status] ?? REFUSED };
}

export const LINK_GONE = MESSAGES[404] ?? REFUSED;
export const FILE_GONE = 'This video can no longer be read. Pick it again.';

const saysSent = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'closed' in body && body.closed === 'sent';

function sentenceIn(body: unknown): string | null {
  const { message } = errorIn(body) ?? {};
  return typeof message === 'string' ? message : null;
}
