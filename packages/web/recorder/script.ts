import { PACE } from '@foreword/contract/plain';
import type { Voice } from './voice.ts';

const PAUSE_AFTER: { end: RegExp; letters: number }[] = [
  { end: /[.?!…]["'”’)]*$/, letters: 5 },
  { end: /[,;:–—]["'”’)]*$/, letters: 2 },
];

/** How long a word takes to say, in letters. Long words take longer, and a sentence ends with a pause. */
function weigh(word: string): number {
  const pause = PAUSE_AFTER.find(({ end }) => end.test(word));
  return word.length + 2 + (pause?.letters ?? 0);
}

export interface Script {
  words: string[];
  /** The start of each word as a share of the whole script: 0 for the first. */
  begins: number[];
}

export function readScript(text: string): Script {
  const words = text.split(/\s+/).filter((word) => word !== '');
  const weights = words.map(weigh);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let before = 0;
  const begins = weights.map((weight) => {
    const share = before / total;
    before += weight;
    return share;
  });
  return { words, begins };
}

export const clampPace = (wordsPerMinute: number): number =>
  Math.min(PACE.fastest, Math.max(PACE.slowest, Math.round(wordsPerMinute)));

/** How many words have started when this share of the script has been said. */
export function countBegun({ begins }: Script, share: number): number {
  let count = 0;
  for (const begin of begins) {
    if (begin > share) break;
    count += 1;
  }
  return count;
}

interface Moment {
  /** Since the last position. */
  elapsedMs: number;
  /** The whole script at the member's pace. */
  totalMs: number;
  voice: Voice;
}

/** The share of the script that has been said. It moves at the pace while the member speaks, and waits in pauses. */
export const advance = (share: number, { elapsedMs, totalMs, voice }: Moment): number =>
  voice === 'pausing' ? share : Math.min(1, share + elapsedMs / totalMs);

export interface Line {
  top: number;
  height: number;
  /** Index of its first word, and the index after its last word. */
  from: number;
  to: number;
}

/** The line at a share of the script, and the progress within that line. */
export function findLine(lines: readonly Line[], script: Script, share: number): { index: number; within: number } {
  const word = Math.max(0, countBegun(script, share) - 1);
  const index = lines.findIndex(({ to }) => word < to);
  const line = lines[index];
  if (line === undefined) return { index: lines.length, within: 0 };
  const begin = script.begins[line.from] ?? 0;
  const end = script.begins[line.to] ?? 1;
  return { index, within: Math.min(1, (share - begin) / (end - begin)) };
}

/** Lines above a line when it is started, so that its last word is still below the faded edge. */
const LINES_ABOVE = 1.8;

/** How far the text is moved up, in pixels. With reduced motion it moves line by line. */
export const scrollTop = ({ top, height }: Line, within: number, reducedMotion: boolean): number =>
  Math.max(0, top + ((reducedMotion ? 1 : within) - LINES_ABOVE) * height);
