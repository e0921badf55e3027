/**
 * tus 1.0 (creation, deferred length, termination) in the few requests the recorder needs. Not tus-js-client: it reads
 * from a stream that a reload ends, while the spool can be read from any byte at any time; it needs the length before
 * the last piece, while a take is complete only when the member taps Send; and it is 22 KB of the 60 the recorder may have.
 */

import type { Trim } from './types.ts';

/** Null: no signal, or a broken connection. */
export type Answer = { status: number; header(name: string): string | null; body: unknown } | null;

export interface Asking {
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
  piece: { offset: number; bytes: ArrayBuffer; declared: { bytes: number; trim: Trim | null } | null },
  asking: Asking,
): Promise<Answer> {
  const headers: Record<string, string> = {
    ...VERSION,
    'Upload-Offset': `${piece.offset}`,
    'Content-Type': 'application/offset+octet-stream',
  };
  if (piece.declared !== null) {
    const { bytes, trim } = piece.declared;
    headers['Upload-Length'] = `${bytes}`;
    if (trim !== null) headers['Foreword-Trim'] = `start_ms=${trim.startMs}, end_ms=${trim.endMs}`;
  }
  return ask('PATCH', url, headers, piece.bytes, asking);
}

export function discardUpload(url: string, asking: Asking): Promise<Answer> {
  return ask('DELETE', url, VERSION, null, asking);
}

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
