/** Words per minute: what the teleprompter offers and starts with. */
export const PACE = { slowest: 60, fastest: 220, usual: 150, step: 10 } as const;

/** The recommended length of a video, and the only threshold for "too long". */
export const SCRIPT_FIT_SECONDS = 15;
/** The same length in words, at the usual pace: 37. */
export const SCRIPT_FIT_WORDS = Math.floor((SCRIPT_FIT_SECONDS * PACE.usual) / 60);

/** When the recorder ends a take: what is not said by then is cut off. */
export const TAKE_MAX_SECONDS = 30;

/** "1️⃣" contains a digit, but is an emoji. */
const KEYCAPS = /[0-9#*]\ufe0f?\u20e3/g;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

/** Emoji and lone punctuation are not said, so they are not words. */
export const countWords = (text: string): number =>
  text.split(/\s+/).filter((part) => LETTER_OR_DIGIT.test(part.replace(KEYCAPS, ''))).length;

/** Uses the word count alone, because the pace is an average. */
export const secondsToSay = (words: number, wordsPerMinute: number): number => (words / wordsPerMinute) * 60;

export const isCutOff = (seconds: number): boolean => seconds > TAKE_MAX_SECONDS;

export const fitsInTime = (words: number, wordsPerMinute: number): boolean =>
  secondsToSay(words, wordsPerMinute) <= SCRIPT_FIT_SECONDS;
