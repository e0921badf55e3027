import { KEPT_MIN_MS } from '@foreword/contract';
import type { Trim } from './media/index.ts';

/** The header is sent with the length of the take, when the member taps Send. */
const FORMAT = /^start_ms=(\d{1,6}), ?end_ms=(\d{1,6})$/;
export const TRIM_PROBLEM = `Foreword-Trim must be "start_ms=<n>, end_ms=<n>" and keep at least ${KEPT_MIN_MS} ms.`;

/** Null without the header. */
export function readTrim(header: string | string[] | undefined): Trim | 'invalid' | null {
  if (header === undefined) return null;
  const [, start, end] = FORMAT.exec(String(header)) ?? [];
  if (start === undefined || end === undefined) return 'invalid';
  const [startMs, endMs] = [Number(start), Number(end)];
  return endMs - startMs < KEPT_MIN_MS ? 'invalid' : { startMs, endMs };
}

export const trimColumns = (trim: Trim | null) => ({
  trim_start_ms: trim?.startMs ?? null,
  trim_end_ms: trim?.endMs ?? null,
});

export const trimOf = (row: { trim_start_ms: number | null; trim_end_ms: number | null }): Trim | null =>
  row.trim_start_ms === null || row.trim_end_ms === null
    ? null
    : { startMs: row.trim_start_ms, endMs: row.trim_end_ms };
