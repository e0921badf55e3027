import type { Span } from './sound.ts';

/** What is read at a glance on a phone: two lines of 42 characters, as subtitlers use. */
const LINE_LENGTH = 42;
const CUE_LENGTH = 2 * LINE_LENGTH;

/**
 * The script as WebVTT. The words are known, their times are not: they are spread over what was heard as speech, each phrase
 * in proportion to its length. Without speech they are spread over the whole.
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

/** Speech counted as if it had no pauses, back to the time on the clock. A phrase starts after a pause and ends before it. */
function timeAt(spans: readonly Span[], spokenS: number, edge: 'start' | 'end'): number {
  let left = spokenS;
  for (const { from, to } of spans) {
    const length = to - from;
    if (left < length - 1e-6 || (edge === 'end' && left <= length + 1e-6)) return from + left;
    left -= length;
  }
  return spans.at(-1)?.to ?? 0;
}

/** Letters take time to say; the end of a sentence takes a breath. */
const weigh = (phrase: string): number => Math.max(1, phrase.replace(/[^\p{L}\p{N}]/gu, '').length) + 2;

/** Sentences, or parts of long ones, none longer than two lines. */
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

/** The blank nearest to the wanted length, rather after a comma; a text without blanks is cut where it must be. */
function bestCut(text: string, wanted: number, limit: number): number {
  let best = { at: 0, cost: Number.POSITIVE_INFINITY };
  for (const { index } of text.matchAll(/\s/g)) {
    if (index > limit) break;
    const cost = Math.abs(index - wanted) - (/[,;:–—]/.test(text[index - 1] ?? '') ? 10 : 0);
    if (cost < best.cost) best = { at: index, cost };
  }
  if (best.at > 0) return best.at;
  // Never in the middle of a character that takes two units.
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
