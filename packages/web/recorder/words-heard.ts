/** A recognized word may be this many words ahead of the last one: the member skips words, or some are not recognized. */
const LOOK_AHEAD = 12;
/** A single word counts only this close to the last one: short words are everywhere. */
const NEAR = 2;
/** This many of the last words heard are compared. */
const COMPARED = 3;

/** Words as they are compared: without case, accents and punctuation. */
export function comparableWords(text: string): string[] {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return plain.split(/\s+/).map((word) => word.replace(/[^\p{L}\p{N}]/gu, ''));
}

/** How many of the last words heard equal those before `end` in the script. 0 unless the last one does. */
function countEqual(script: readonly string[], end: number, heard: readonly string[]): number {
  if (script[end - 1] !== heard.at(-1)) return 0;
  let equal = 0;
  for (let back = 1; back <= Math.min(COMPARED, heard.length); back += 1) {
    if (script[end - back] === heard.at(-back)) equal += 1;
  }
  return equal;
}

/**
 * How many words of the script have been said, given how many had been before and the words heard last. Words that do not
 * occur next change nothing, and the script never goes back.
 */
export function countSaid(script: readonly string[], saidBefore: number, heard: readonly string[]): number {
  const words = heard.filter((word) => word !== '');
  if (words.length === 0) return saidBefore;
  for (let end = saidBefore + 1; end <= Math.min(script.length, saidBefore + LOOK_AHEAD); end += 1) {
    const equal = countEqual(script, end, words);
    if (equal >= 2 || (equal === 1 && end <= saidBefore + NEAR)) return end;
  }
  return saidBefore;
}
