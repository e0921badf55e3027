import type { IncomingHttpHeaders } from 'node:http';
import { KEPT_MIN_MS, SCRIPT_MAX_LENGTH, withoutReordering } from '@foreword/contract';
import type { Trim } from './media/index.ts';

/** The member's choices in the review, sent with the length of the take when the member taps Send. */
export interface Edits {
  readonly trim: Trim | null;
  /** The words of the captions; empty: none. Null: the script if the voice fits it. */
  readonly captions: string | null;
}

export const NO_EDITS: Edits = { trim: null, captions: null };

const TRIM_FORMAT = /^start_ms=(\d{1,6}), ?end_ms=(\d{1,6})$/;
const TRIM_PROBLEM = `Foreword-Trim must be "start_ms=<n>, end_ms=<n>" and keep at least ${KEPT_MIN_MS} ms.`;
const CAPTIONS_FORMAT = /^:([A-Za-z0-9+/]*={0,2}):$/;
const CAPTIONS_PROBLEM = `Foreword-Captions must be ":<UTF-8 in base64>:", of at most ${SCRIPT_MAX_LENGTH} characters.`;

type Invalid = { readonly field: string; readonly message: string };

function readTrim(header: string): Trim | null {
  const [, start, end] = TRIM_FORMAT.exec(header) ?? [];
  const [startMs, endMs] = [Number(start), Number(end)];
  return endMs - startMs >= KEPT_MIN_MS ? { startMs, endMs } : null;
}

function readCaptions(header: string): string | null {
  const [, encoded] = CAPTIONS_FORMAT.exec(header) ?? [];
  if (encoded === undefined) return null;
  const text = withoutReordering(
    Buffer.from(encoded, 'base64')
      .toString('utf8')
      .replaceAll(/\p{Cc}/gu, ' '),
  ).trim();
  return [...text].length <= SCRIPT_MAX_LENGTH ? text : null;
}

export function readEdits(headers: IncomingHttpHeaders): Edits | Invalid {
  const { 'foreword-trim': trim, 'foreword-captions': said } = headers;
  const edits = {
    trim: trim === undefined ? null : readTrim(String(trim)),
    captions: said === undefined ? null : readCaptions(String(said)),
  };
  if (trim !== undefined && edits.trim === null) return { field: 'Foreword-Trim', message: TRIM_PROBLEM };
  if (said !== undefined && edits.captions === null) return { field: 'Foreword-Captions', message: CAPTIONS_PROBLEM };
  return edits;
}

export const editColumns = ({ trim, captions }: Edits) => ({
  trim_start_ms: trim?.startMs ?? null,
  trim_end_ms: trim?.endMs ?? null,
  captions,
});

export const trimOf = (row: { trim_start_ms: number | null; trim_end_ms: number | null }): Trim | null =>
  row.trim_start_ms === null || row.trim_end_ms === null
    ? null
    : { startMs: row.trim_start_ms, endMs: row.trim_end_ms };
