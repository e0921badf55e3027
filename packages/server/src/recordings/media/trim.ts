/** The part of a take that the member keeps. */
export interface Trim {
  readonly startMs: number;
  readonly endMs: number;
}

export interface KeptPart {
  readonly startS: number;
  readonly endS: number;
}

const MIN_KEPT_S = 1;
/** Cutting less is invisible, and the stream can then be copied. */
const LEAST_CUT_S = 0.05;

/**
 * The part within a take of this duration. Null keeps all of it, as when less than a second would remain: the recorder's
 * clock and the file may differ a little, and a whole take is better than none.
 */
export function findKeptPart(trim: Trim | null, durationS: number): KeptPart | null {
  if (trim === null) return null;
  const [startS, endS] = [trim.startMs / 1000, Math.min(trim.endMs / 1000, durationS)];
  const isCut = startS > LEAST_CUT_S || endS < durationS - LEAST_CUT_S;
  return isCut && endS - startS >= MIN_KEPT_S ? { startS, endS } : null;
}

/** Filters that drop what precedes the part; the input's length cuts the end. Both streams begin at zero again. */
export const cutVideo = (kept: KeptPart | null): string =>
  kept === null ? '' : `trim=start=${kept.startS},setpts=PTS-${kept.startS}/TB,`;

export const cutAudio = (kept: KeptPart | null): string =>
  kept === null ? '' : `,atrim=start=${kept.startS},asetpts=PTS-${kept.startS}/TB`;
