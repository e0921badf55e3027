/** The level during one tenth of a second. */
export interface Moment {
  readonly seconds: number;
  readonly levelDb: number;
}

export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Loudness {
  readonly integrated: number;
  readonly gainDb: number;
}

/** EBU R128 loudness that phones and streaming services use. */
const TARGET_LUFS = -16;
/** Below this there is no speech, and amplifying it would only produce hiss. */
const QUIET_LUFS = -50;
const MAX_GAIN_DB = 20;

const STEP_S = 0.1;
/** Sound this much softer than the loudest speech is not speech. */
const SPEECH_RANGE_DB = 28;
/** Sound less than this above the background noise is background noise. */
const ABOVE_NOISE_DB = 6;
const SHORTEST_SPEECH_S = 0.2;
/** A shorter pause, such as a breath, does not interrupt speech. */
const SHORTEST_PAUSE_S = 0.35;

export const LEVELS_FILE = 'sound.txt';
export const MEASURE_FILTER =
  'ebur128=metadata=1,astats=metadata=1:reset=1:measure_overall=RMS_level:measure_perchannel=none,' +
  `ametadata=print:file=${LEVELS_FILE},aformat=sample_fmts=s16`;

/** Parses the output of FFmpeg's `ametadata=print`. */
export function readLevels(text: string): { loudness: Loudness; moments: Moment[] } {
  const moments: Moment[] = [];
  let integrated = Number.NEGATIVE_INFINITY;
  let seconds = 0;
  for (const line of text.split('\n')) {
    const time = /pts_time:(\S+)/.exec(line);
    if (time) seconds = Number(time[1]);
    const [, key, value] = /^lavfi\.(r128\.I|astats\.Overall\.RMS_level)=(\S+)$/.exec(line) ?? [];
    if (key === 'r128.I') integrated = Number(value);
    // Digital silence is written as -inf.
    else if (key !== undefined) moments.push({ seconds, levelDb: Math.max(-120, toNumber(value)) });
  }
  return { loudness: { integrated, gainDb: gainFor(integrated) }, moments };
}

const toNumber = (text: string | undefined): number => {
  const value = Number(text);
  return Number.isFinite(value) ? value : -120;
};

export function gainFor(integrated: number): number {
  if (!(integrated > QUIET_LUFS)) return 0;
  return Math.min(MAX_GAIN_DB, TARGET_LUFS - integrated);
}

/** Finds speech: louder than the background noise, and not much softer than the loudest moments. */
export function findSpeech(moments: readonly Moment[]): Span[] {
  if (moments.length === 0) return [];
  const levels = moments.map(({ levelDb }) => levelDb).sort((a, b) => a - b);
  const at = (share: number): number => levels[Math.floor((levels.length - 1) * share)] ?? -120;
  const [noise, loud] = [at(0.1), at(0.95)];
  if (loud < QUIET_LUFS) return [];
  // Without any pause there is no background noise to measure; then nearly everything counts as speech.
  const threshold = Math.max(loud - SPEECH_RANGE_DB, Math.min(noise + ABOVE_NOISE_DB, loud - ABOVE_NOISE_DB));
  const spans: { from: number; to: number }[] = [];
  for (const { seconds, levelDb } of moments) {
    if (levelDb < threshold) continue;
    const last = spans.at(-1);
    if (last !== undefined && seconds - last.to < SHORTEST_PAUSE_S) last.to = seconds + STEP_S;
    else spans.push({ from: seconds, to: seconds + STEP_S });
  }
  return spans.filter(({ from, to }) => to - from >= SHORTEST_SPEECH_S - STEP_S / 2);
}
