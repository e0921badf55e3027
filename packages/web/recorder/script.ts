import { PACE } from '@foreword/contract/plain';

export { countWords, fitsInTime, PACE, SCRIPT_FIT_SECONDS, secondsToSay } from '@foreword/contract/plain';

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
  /** Such as "en". */
  language: string;
  words: string[];
  /** The start of each word as a share of the whole script: 0 for the first. */
  begins: number[];
}

export function readScript(text: string, language = 'en'): Script {
  const words = text.split(/\s+/).filter((word) => word !== '');
  const weights = words.map(weigh);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let before = 0;
  const begins = weights.map((weight) => {
    const share = before / total;
    before += weight;
    return share;
  });
  return { language, words, begins };
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
