/** Invisible characters with which a name could reorder or hide the text after it. */
const REORDERING = /[\u061c\u200e\u200f\u202a-\u202e\u2066\u2067]/g;
/** Also those that `isolated` uses. */
const ALL_CONTROLS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
/** Letters of scripts that are written from right to left, such as Hebrew and Arabic. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const FIRST_STRONG_ISOLATE = '\u2068';
const POP_ISOLATE = '\u2069';

/** For pages, where a value has an element of its own or was isolated in its sentence. */
export const withoutReordering = (text: string): string => text.replaceAll(REORDERING, '');

/** For subjects, senders and text messages. */
export const withoutDirection = (text: string): string => text.replaceAll(ALL_CONTROLS, '');

/** For use within a sentence: a name in Hebrew or Arabic keeps its order, and does not change that of the words around it. */
export function isolated(text: string): string {
  const plain = withoutDirection(text);
  return RIGHT_TO_LEFT.test(plain) ? `${FIRST_STRONG_ISOLATE}${plain}${POP_ISOLATE}` : plain;
}

/** The direction of a sentence, by its first letter; `auto` without any. */
export function directionOf(text: string): 'ltr' | 'rtl' | 'auto' {
  const [letter] = /\p{L}/u.exec(text) ?? [];
  if (letter === undefined) return 'auto';
  return RIGHT_TO_LEFT.test(letter) ? 'rtl' : 'ltr';
}

/** A template tag that isolates every value. */
export const sentence = (parts: TemplateStringsArray, ...values: readonly string[]): string =>
  String.raw({ raw: parts }, ...values.map(isolated));

/** Parses what a page shows. No name in it can reorder the text around it. */
export const parseShown = (json: string): unknown =>
  JSON.parse(json, (_name, value: unknown) => (typeof value === 'string' ? withoutDirection(value) : value));
