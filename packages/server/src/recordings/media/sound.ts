/** What the measuring pass heard, a tenth of a second at a time. */
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

/** EBU R128's unit, at the level that phones and streaming services play. */
const TARGET_LUFS = -16;
/** Below this there is no speech: amplified, it would be a hiss. */
const QUIET_LUFS = -50;
const MAX_GAIN_DB = 20;

const STEP_S = 0.1;
/** Softer than the loudest speech by more than this is no speech. */
const SPEECH_RANGE_DB = 28;
/** Above the room's own sound by less than this is the room. */
const ABOVE_ROOM_DB = 6;
const SHORTEST_SPEECH_S = 0.2;
/** A pause for breath inside a sentence is part of it. */
const SHORTEST_PAUSE_S = 0.35;

export const LISTENING = 'sound.txt';
export const LISTEN_FILTER =
  'ebur128=metadata=1,astats=metadata=1:reset=1:measure_overall=RMS_level:measure_perchannel=none,' +
  `ametadata=print:file=${LISTENING},aformat=sample_fmts=s16`;

/** Reads what FFmpeg's `ametadata=print` wrote. */
export function readListening(text: string): { loudness: Loudness; moments: Moment[] } {
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

/** When somebody speaks: louder than the room, and not far softer than the loudest moments. Nothing found: nothing. */
export function findSpeech(moments: readonly Moment[]): Span[] {
  if (moments.length === 0) return [];
  const levels = moments.map(({ levelDb }) => levelDb).sort((a, b) => a - b);
  const at = (share: number): number => levels[Math.floor((levels.length - 1) * share)] ?? -120;
  const [room, loud] = [at(0.1), at(0.95)];
  if (loud < QUIET_LUFS) return [];
  // Someone who speaks without a pause leaves no room to be heard: then nearly all of it is speech.
  const threshold = Math.max(loud - SPEECH_RANGE_DB, Math.min(room + ABOVE_ROOM_DB, loud - ABOVE_ROOM_DB));
  const spans: { from: number; to: number }[] = [];
  for (const { seconds, levelDb } of moments) {
    if (levelDb < threshold) continue;
    const last = spans.at(-1);
    if (last !== undefined && seconds - last.to < SHORTEST_PAUSE_S) last.to = seconds + STEP_S;
    else spans.push({ from: seconds, to: seconds + STEP_S });
  }
  return spans.filter(({ from, to }) => to - from >= SHORTEST_SPEECH_S - STEP_S / 2);
}
