import type { Moment, Span } from '@foreword/contract';

export interface Loudness {
  readonly integrated: number;
  readonly gainDb: number;
}

/** EBU R128 loudness that phones and streaming services use. */
const TARGET_LUFS = -16;
/** Below this there is no speech, and amplifying it would only produce hiss. */
const QUIET_LUFS = -50;
const MAX_GAIN_DB = 20;

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

/** Two lines of 42 characters, the usual limit for subtitles. */
const LINE_LENGTH = 42;
const CUE_LENGTH = 2 * LINE_LENGTH;

/**
 * Writes the script as WebVTT. Phrases are spread over the detected speech in proportion to their length, or over the whole
 * video when no speech was detected.
 */
export function writeCaptions(script: string, speech: readonly Span[], durationS: number): string {
  const phrases = splitPhrases(script);
  const spans = speech.length > 0 ? speech : [{ from: 0, to: durationS }];
  const spoken = spans.reduce((sum, { from, to }) => sum + (to - from), 0);
  const weights = phrases.map(weigh);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let done = 0;
  const cues = phrases.map((phrase, index) => {
    const from = timeAt(spans, (done / total) * spoken, 'start');
    done += weights[index] ?? 0;
    const to = Math.min(durationS, timeAt(spans, (done / total) * spoken, 'end'));
    return `${index + 1}\n${clock(from)} --> ${clock(Math.max(to, from + 0.001))}\n${escapeText(breakLine(phrase))}\n`;
  });
  return `WEBVTT\n\n${cues.join('\n')}`;
}

/** Maps seconds of speech to seconds of video, skipping pauses. A phrase starts after a pause and ends before one. */
function timeAt(spans: readonly Span[], spokenS: number, edge: 'start' | 'end'): number {
  let left = spokenS;
  for (const { from, to } of spans) {
    const length = to - from;
    if (left < length - 1e-6 || (edge === 'end' && left <= length + 1e-6)) return from + left;
    left -= length;
  }
  return spans.at(-1)?.to ?? 0;
}

/** Two extra for the breath after a phrase. */
const weigh = (phrase: string): number => Math.max(1, phrase.replace(/[^\p{L}\p{N}]/gu, '').length) + 2;

/** Splits into sentences, and long sentences into parts of at most two lines. */
export function splitPhrases(script: string): string[] {
  const sentences = script
    .split(/\n+|(?<=[.!?…。！？]["'”’)]?)\s+/u)
    .map((text) => text.replace(/\s+/g, ' ').trim())
    .filter((text) => text !== '');
  return sentences.flatMap((sentence) => splitLong(sentence));
}

function splitLong(text: string): string[] {
  if (length(text) <= CUE_LENGTH) return [text];
  const parts = Math.ceil(length(text) / CUE_LENGTH);
  const wanted = length(text) / parts;
  const cut = bestCut(text, wanted, CUE_LENGTH);
  return [text.slice(0, cut).trim(), ...splitLong(text.slice(cut).trim())];
}

function breakLine(phrase: string): string {
  if (length(phrase) <= LINE_LENGTH) return phrase;
  const cut = bestCut(phrase, length(phrase) / 2, CUE_LENGTH);
  return `${phrase.slice(0, cut).trim()}\n${phrase.slice(cut).trim()}`;
}

/** Cuts at the space nearest to the wanted length, preferably after a comma, and anywhere if there is no space. */
function bestCut(text: string, wanted: number, limit: number): number {
  let best = { at: 0, cost: Number.POSITIVE_INFINITY };
  for (const { index } of text.matchAll(/\s/g)) {
    if (index > limit) break;
    const cost = Math.abs(index - wanted) - (/[,;:–—]/.test(text[index - 1] ?? '') ? 10 : 0);
    if (cost < best.cost) best = { at: index, cost };
  }
  if (best.at > 0) return best.at;
  // Never splits a surrogate pair.
  return [...text].slice(0, Math.round(Math.min(wanted, limit))).join('').length;
}

const length = (text: string): number => [...text].length;

const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function clock(seconds: number): string {
  const ms = Math.round(seconds * 1000);
  const two = (value: number): string => String(value).padStart(2, '0');
  const [minutes, rest] = [Math.floor(ms / 60_000), ms % 60_000];
  return `00:${two(minutes)}:${two(Math.floor(rest / 1000))}.${String(rest % 1000).padStart(3, '0')}`;
}
