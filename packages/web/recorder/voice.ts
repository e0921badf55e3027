/** Without a measurement for this long, the microphone tells nothing. */
const STALE_MS = 500;
/** Between words the voice is silent for a moment, and at the end of a sentence a little longer. Neither is a pause. */
const HANG_MS = 350;
/** About -45 dB: quieter sound is no voice at arm's length. */
const LEAST_LEVEL = 0.25;
/** About 8 dB: a voice is louder than its surroundings. */
const ABOVE_FLOOR = 0.13;
/** About -30 dB: in such noise, a voice cannot be told from a pause. */
const NOISE_LEVEL = 0.5;
const BUCKET_MS = 500;
const BUCKETS = 8;
/** Someone who is not heard until then has a quiet voice or a covered microphone. */
const FIRST_WORD_WITHIN_MS = 2_500;

/** `unknown`: the script follows the pace. */
export type Voice = 'speaking' | 'pausing' | 'unknown';

/** Tells speech from pauses by the level of the microphone, which is from 0 to 1. Times are on one clock. */
export class VoiceActivity {
  readonly #startedMs: number;
  #lastMs = Number.NEGATIVE_INFINITY;
  #voiceMs = Number.NEGATIVE_INFINITY;
  /** The lowest level of each of the last buckets: the loudness of the surroundings. */
  #lowest: { atMs: number; level: number }[] = [];

  constructor(startedMs: number) {
    this.#startedMs = startedMs;
  }

  hear(level: number, atMs: number): void {
    this.#lastMs = atMs;
    const bucket = this.#lowest.at(-1);
    if (bucket === undefined || atMs - bucket.atMs >= BUCKET_MS) this.#lowest.push({ atMs, level });
    else bucket.level = Math.min(bucket.level, level);
    this.#lowest = this.#lowest.slice(-BUCKETS);
    if (level >= Math.max(LEAST_LEVEL, this.#floor + ABOVE_FLOOR)) this.#voiceMs = atMs;
  }

  at(nowMs: number): Voice {
    if (nowMs - this.#lastMs > STALE_MS || this.#floor > NOISE_LEVEL) return 'unknown';
    if (nowMs - this.#voiceMs <= HANG_MS) return 'speaking';
    const heard = Number.isFinite(this.#voiceMs);
    return heard || nowMs - this.#startedMs <= FIRST_WORD_WITHIN_MS ? 'pausing' : 'unknown';
  }

  get #floor(): number {
    return Math.min(1, ...this.#lowest.map(({ level }) => level));
  }
}
