import { type LinkKind, looksLikeToken, type Tokens } from './tokens.ts';

// Unicode reserves these characters for internal use. Text from outside loses them, so a mark cannot be forged.
const OPEN = '\ufdd0';
const CLOSE = '\ufdd1';
const RESERVED = /[\ufdd0\ufdd1]/g;
const MARK = /\ufdd0([ris])(\d+)\ufdd1/g;
const LETTERS: Record<LinkKind, string> = { record: 'r', page: 'i', short: 's' };
const KINDS: Record<string, LinkKind> = { r: 'record', i: 'page', s: 'short' };

const markOf = (kind: LinkKind, generation: number): string => `${OPEN}${LETTERS[kind]}${generation}${CLOSE}`;

/** Replaces the tokens of an intro in a text with marks, which open nothing. `generation` is the latest one. */
export function hideTokens(tokens: Tokens, text: string, introId: string, generation: number): string {
  let hidden = text.replaceAll(RESERVED, '\ufffd');
  const words = hidden.match(/[0-9A-Za-z]+/g) ?? [];
  const hide = (kind: LinkKind, upTo: number) => {
    // Each token takes 3 µs, and most texts have one link.
    if (!words.some((word) => looksLikeToken(kind, word))) return;
    for (let each = 0; each <= upTo; each++) {
      hidden = hidden.replaceAll(tokens.tokenOf(kind, introId, each), markOf(kind, each));
    }
  };
  hide('page', 0);
  hide('short', 0);
  hide('record', generation);
  return hidden;
}

/** Puts the tokens back. */
export const showTokens = (tokens: Tokens, hidden: string, introId: string): string =>
  hidden.replaceAll(MARK, (_mark, letter: string, generation: string) =>
    tokens.tokenOf(KINDS[letter] ?? 'record', introId, Number(generation)),
  );

/** Removes anything that may be a link of this service from the text of another system, such as an error that quotes a message. */
export const redactLinks = (text: string): string =>
  text.replaceAll(/(?<=\/[ri]\/)[0-9A-Za-z]{12,}|(?<=:\/\/[^\s/]+\/)[0-9A-Za-z]{10}(?![0-9A-Za-z])/g, '…');
