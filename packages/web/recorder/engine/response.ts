import type { UploadProblem } from './problems.ts';
import { errorIn, saysClosed, saysUnknown } from './state.ts';
import { type Answer, countIn } from './tus.ts';
import type { ClosedReason } from './types.ts';

/** The take cannot be uploaded. `message` is for the browser's console; the page has its own texts for the member. */
export class UploadFailed extends Error {
  readonly problem: UploadProblem;
  /** Set if the intro was closed in the meantime. */
  readonly closed: ClosedReason | null;
  constructor(problem: UploadProblem, closed: ClosedReason | null = null) {
    super(`The take cannot be uploaded: ${problem}`);
    this.problem = problem;
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
  | { kind: 'refused'; problem: UploadProblem };

const BUSY_MS = 500;
const PROBLEMS: Record<number, UploadProblem> = {
  404: 'link_gone',
  413: 'too_large',
  415: 'unsupported',
  429: 'daily_limit',
};
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
  if (status === 410 && saysSent(body)) return { kind: 'refused', problem: 'already_sent' };
  if (status === 409) return { kind: 'ask_offset', afterMs: 0 };
  if (status === 423) return { kind: 'ask_offset', afterMs: BUSY_MS };
  if (status === 404 && saysUnknown(body)) return { kind: 'unknown' };
  if (status === 404 || status === 410) return { kind: 'gone', inTus: answer.header('Tus-Resumable') !== null };
  if ((status === 503 || status === 507) && errorIn(body)?.code === 'storage_full') {
    const seconds = Math.min(countIn(answer, 'Retry-After') ?? LONGEST_FULL_PAUSE_S, LONGEST_FULL_PAUSE_S);
    return { kind: 'retry', afterMs: seconds * 1_000, isServerFull: true };
  }
  if (status < 400 || status >= 500 || TEMPORARY.has(status)) return { kind: 'retry' };
  // A 429 without Retry-After means too many takes, not too many requests.
  const retryAfter = status === 429 ? countIn(answer, 'Retry-After') : null;
  if (retryAfter !== null) return { kind: 'retry', afterMs: Math.min(retryAfter, LONGEST_PAUSE_S) * 1_000 };
  return { kind: 'refused', problem: PROBLEMS[status] ?? 'refused' };
}

const saysSent = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'closed' in body && body.closed === 'sent';
