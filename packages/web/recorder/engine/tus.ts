/**
 * tus 1.0 (creation, deferred length, termination) in the few requests the recorder needs. Not tus-js-client: it reads
 * from a stream that a reload ends, while the spool can be read from any byte at any time; it needs the length before
 * the last piece, while a take is complete only when the member taps Send; and it is 22 KB of the 60 the recorder may have.
 */

import type { ClosedReason } from '@foreword/contract';
import { errorIn, saysClosed, saysUnknown } from './requests.ts';
import type { Edits, UploadProblem } from './types.ts';

/** Null: no signal, or a broken connection. */
type Answer = { status: number; header(name: string): string | null; body: unknown } | null;

interface Asking {
  signal: AbortSignal;
  onSent?: (bytes: number) => void;
}

/** Without progress for this long, the connection is dead, whatever the phone reports. */
const STALLED_MS = 20_000;
const VERSION = { 'Tus-Resumable': '1.0.0' };

/** `consent`: what the member agreed to, as `1 en`. */
export function createUpload(
  api: string,
  { type, consent }: { type: string; consent: string },
  asking: Asking,
): Promise<Answer> {
  const container = type.split(';')[0] ?? type;
  const headers = {
    ...VERSION,
    'Upload-Defer-Length': '1',
    'Upload-Metadata': `filetype ${btoa(container)}`,
    'Foreword-Consent': consent,
  };
  return ask('POST', `${api}/uploads`, headers, null, asking);
}

export function askOffset(url: string, asking: Asking): Promise<Answer> {
  return ask('HEAD', url, VERSION, null, asking);
}

export function sendPiece(
  url: string,
  piece: { offset: number; bytes: ArrayBuffer; declared: ({ bytes: number } & Edits) | null },
  asking: Asking,
): Promise<Answer> {
  const headers: Record<string, string> = {
    ...VERSION,
    'Upload-Offset': `${piece.offset}`,
    'Content-Type': 'application/offset+octet-stream',
  };
  if (piece.declared !== null) {
    const { bytes, trim, captions } = piece.declared;
    headers['Upload-Length'] = `${bytes}`;
    if (trim !== null) headers['Foreword-Trim'] = `start_ms=${trim.startMs}, end_ms=${trim.endMs}`;
    if (captions !== null) headers['Foreword-Captions'] = `:${toBase64(captions)}:`;
  }
  return ask('PATCH', url, headers, piece.bytes, asking);
}

export function discardUpload(url: string, asking: Asking): Promise<Answer> {
  return ask('DELETE', url, VERSION, null, asking);
}

/** Bytes of UTF-8. */
const toBase64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

/** A header that is a whole number; null if it is missing or invalid. */
export function countIn(answer: NonNullable<Answer>, name: string): number | null {
  const text = answer.header(name);
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/** XMLHttpRequest, because fetch reports no upload progress, and so no stalls either. */
function ask(
  method: string,
  url: string,
  headers: Record<string, string>,
  body: ArrayBuffer | null,
  { signal, onSent }: Asking,
): Promise<Answer> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(null);
    const request = new XMLHttpRequest();
    let timer: number | undefined;
    const abort = (): void => request.abort();
    const restart = (): void => {
      window.clearTimeout(timer);
      timer = window.setTimeout(abort, STALLED_MS);
    };
    const finish = (answer: Answer): void => {
      window.clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      resolve(answer);
    };
    request.onload = () => finish(read(request));
    request.onerror = () => finish(null);
    request.onabort = () => finish(null);
    request.upload.onprogress = ({ loaded }) => {
      restart();
      onSent?.(loaded);
    };
    signal.addEventListener('abort', abort);
    request.open(method, url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    restart();
    request.send(body);
  });
}

function read(request: XMLHttpRequest): Answer {
  let body: unknown = null;
  try {
    body = JSON.parse(request.responseText);
  } catch {
    // Many responses have no body, and a proxy's is HTML.
  }
  return { status: request.status, header: (name) => request.getResponseHeader(name), body };
}

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
  return { kind: 'refused', problem: status === 429 ? 'daily_limit' : 'refused' };
}

const saysSent = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'closed' in body && body.closed === 'sent';
