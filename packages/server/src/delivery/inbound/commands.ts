import { DECLINE_MESSAGE_MAX_LENGTH } from '@foreword/contract';

/** The request in a member's text. Numbers refer to the list that the member got last. */
export type Command =
  | {
      readonly kind: 'decline';
      /** The word means nothing else. "NO" may also answer a recipient. */
      readonly isClear: boolean;
      readonly number: number | null;
      /** The reason; null if there is none. */
      readonly words: string | null;
    }
  | { readonly kind: 'hand_over'; readonly number: number | null; readonly name: string }
  | { readonly kind: 'answer'; readonly number: number; readonly words: string };

/** No list has it, so the member gets the list. */
const UNLISTED = 0;

const END = String.raw`(?![\p{L}\p{N}])`;
const NUMBER = String.raw`(?:(\d{1,2})${END}[\s.:,]*)?`;
const ANSWER = new RegExp(String.raw`^(?:answer|respuesta)\s+(\d{1,2})${END}[\s.:,]*(.+)$`, 'isu');
const HAND_OVERS = [
  new RegExp(`^(?:give|hand|pass)(?: it)?(?: over)? ${NUMBER}(?:it )?(?:over )?to (.+)$`, 'iu'),
  new RegExp(`^(?:give|hand ?over) ${NUMBER}(.+)$`, 'iu'),
  new RegExp(`^(?:dar|pasar|pasa|pase) ${NUMBER}a (.+)$`, 'iu'),
];
const CLEAR_DECLINE = new RegExp(`^(?:decline|rechazar|rechazo)${END}(.*)$`, 'iu');
const DECLINE = new RegExp(`^(?:no puedo|no|nope|pass|paso|i can'?t|i cannot|can'?t|cannot)${END}(.*)$`, 'iu');
const NO_DECLINE = new RegExp(
  `^no (?:prob|problem|problems|worries|rush|hay problema|te preocupes|se preocupe|pasa nada)${END}`,
  'iu',
);
const REST = new RegExp(String.raw`^[\s.:,!-]*${NUMBER}(.*)$`, 'iu');

const toNumber = (digits: string | undefined): number | null => (digits === undefined ? null : Number(digits));

function readDecline(rest: string, isClear: boolean): Command {
  const [, digits, said = ''] = REST.exec(rest) ?? [];
  const words = [...said.trim()].slice(0, DECLINE_MESSAGE_MAX_LENGTH).join('');
  // "NO 1 2": one number at a time.
  const isSeveral = digits !== undefined && /^[\d\s.,&]+$/.test(words);
  return { kind: 'decline', isClear, number: isSeveral ? UNLISTED : toNumber(digits), words: words || null };
}

/** Null if the text is no command. The words are none of the carriers' keywords, which are recognized first. */
export function readCommand(text: string): Command | null {
  const answer = ANSWER.exec(text);
  if (answer !== null) return { kind: 'answer', number: Number(answer[1]), words: answer[2]?.trim() ?? '' };
  const line = text.replaceAll(/\s+/g, ' ').replaceAll('’', "'");
  const given = HAND_OVERS.map((pattern) => pattern.exec(line)).find((found) => found !== null);
  if (given !== undefined) return { kind: 'hand_over', number: toNumber(given[1]), name: given[2]?.trim() ?? '' };
  const clear = CLEAR_DECLINE.exec(line);
  if (clear !== null) return readDecline(clear[1] ?? '', true);
  const decline = NO_DECLINE.test(line) ? null : DECLINE.exec(line);
  return decline === null ? null : readDecline(decline[1] ?? '', false);
}

/** Whether the text cannot be an answer to a recipient: "Give me a call" and "No, thanks" can. */
export const isExplicit = (command: Command): boolean =>
  command.number !== null || (command.kind === 'decline' && command.isClear);

const toWords = (name: string): string[] =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');

/** Whether the said words begin the name. The last one may be an initial: "Sam L". */
function beginsName(name: readonly string[], said: readonly string[]): boolean {
  if (said.length === 0 || said.length > name.length) return false;
  return said.every((word, index) => {
    const isInitial = index > 0 && index === said.length - 1 && word.length === 1;
    return isInitial ? name[index]?.startsWith(word) === true : name[index] === word;
  });
}

/** Finds colleagues by first name, or more of the name. The full name fits only those who have exactly this name. */
export function matchColleagues<Named extends { readonly name: string }>(
  colleagues: readonly Named[],
  said: string,
): readonly Named[] {
  const words = toWords(said);
  const fitting = colleagues.filter(({ name }) => beginsName(toWords(name), words));
  const exact = fitting.filter(({ name }) => toWords(name).length === words.length);
  return exact.length > 0 ? exact : fitting;
}
