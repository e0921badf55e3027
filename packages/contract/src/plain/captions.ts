import { countWords } from './script-length.ts';

/** The level of the sound at one time. */
export interface Moment {
  readonly seconds: number;
  readonly levelDb: number;
}

export interface Span {
  readonly from: number;
  readonly to: number;
}

const STEP_S = 0.1;
/** Below this there is no speech. */
const QUIET_DB = -50;
/** Sound this much softer than the loudest speech is not speech. */
const SPEECH_RANGE_DB = 28;
/** Sound less than this above the background noise is background noise. */
const ABOVE_NOISE_DB = 6;
const SHORTEST_SPEECH_S = 0.2;
/** A shorter pause, such as a breath, does not interrupt speech. */
const SHORTEST_PAUSE_S = 0.35;

/** Finds speech: louder than the background noise, and not much softer than the loudest moments. */
export function findSpeech(moments: readonly Moment[]): Span[] {
  if (moments.length === 0) return [];
  const levels = moments.map(({ levelDb }) => levelDb).sort((a, b) => a - b);
  const at = (share: number): number => levels[Math.floor((levels.length - 1) * share)] ?? -120;
  const [noise, loud] = [at(0.1), at(0.95)];
  if (loud < QUIET_DB) return [];
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

/** Words per minute, from the first word to the last. Someone who reads aloud is within these, whatever the prompter's pace. */
const READING = { slowest: 75, fastest: 250 } as const;
/** A longer gap has room for a sentence, and is too long for a pause while reading. */
const LONGEST_GAP_S = 2.5;

/** Whether someone who spoke at these times may have read the script. If not, its captions would be wrong. */
export function fitsScript(script: string, speech: readonly Span[]): boolean {
  const [first, last] = [speech[0], speech.at(-1)];
  if (first === undefined || last === undefined) return false;
  const wordsPerMinute = (countWords(script) * 60) / (last.to - first.from);
  const hasLongGap = speech.some(({ from }, index) => from - (speech[index - 1]?.to ?? from) > LONGEST_GAP_S);
  return !hasLongGap && wordsPerMinute >= READING.slowest && wordsPerMinute <= READING.fastest;
}
