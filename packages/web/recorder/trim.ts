import { KEPT_MIN_MS } from '@foreword/contract/plain';
import type { Take, Trim } from './engine/types.ts';

/** The finest step that a member can choose. */
export const TRIM_STEP_MS = 100;
/** The file may be a little longer than the recorder's clock. Where nothing is cut, the server keeps all of it. */
const BEYOND_END_MS = 1_000;
/** A shorter take has nothing to cut. */
const TRIMMABLE_FROM_MS = 2 * KEPT_MIN_MS;

export type TrimEnd = 'start' | 'end';

export const canTrim = ({ durationMs }: Take): boolean => durationMs >= TRIMMABLE_FROM_MS;

/** Limits the range to the length of the take. */
export const keptPart = ({ durationMs, trim }: Pick<Take, 'durationMs' | 'trim'>): Trim =>
  trim === null
    ? { startMs: 0, endMs: durationMs }
    : { startMs: Math.min(trim.startMs, durationMs), endMs: Math.min(trim.endMs, durationMs) };

export const keptMs = ({ startMs, endMs }: Trim): number => endMs - startMs;

/** "0:07", in every language. */
export function clock(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** Moves one end of the kept part, up to a second from the other end. Null: nothing is cut any more. */
export function moveEnd(kept: Trim, end: TrimEnd, toMs: number, durationMs: number): Trim | null {
  const startMs = end === 'start' ? clamp(toMs, 0, kept.endMs - KEPT_MIN_MS) : kept.startMs;
  const endMs = end === 'end' ? clamp(toMs, kept.startMs + KEPT_MIN_MS, durationMs) : kept.endMs;
  if (startMs === 0 && endMs === durationMs) return null;
  return { startMs, endMs: endMs === durationMs ? durationMs + BEYOND_END_MS : endMs };
}

const clamp = (value: number, least: number, most: number): number =>
  Math.round(Math.min(Math.max(value, least), Math.max(least, most)));

/** An SVG path of centered bars, one unit wide and up to 100 high. */
export function drawWaveform(levels: readonly number[], bars: number): string {
  const heights = Array.from({ length: bars }, (_, bar) => {
    const [from, to] = [bar, bar + 1].map((edge) => Math.floor((edge * levels.length) / bars));
    return Math.max(0, ...levels.slice(from, to === from ? (to ?? 0) + 1 : to));
  });
  // Even silence has a dot, so that the strip stays visible.
  return heights
    .map((height, bar) => `M${bar + 0.5} ${50 - Math.max(3, height / 2)}V${50 + Math.max(3, height / 2)}`)
    .join('');
}
