import type { Language } from '@foreword/contract';
import { ALONE, ASK, FILLERS, LIMITED, OPT_OUT_EN, OPT_OUT_ES, ORDINARY, WHOLE, WORDS } from './phrases.ts';

export type Keyword = 'stop' | 'start' | 'help';

/** The carriers' standard keywords. They work in every language. */
const CARRIER_KEYWORDS: Readonly<Record<Keyword, readonly string[]>> = {
  stop: ['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPTOUT'],
  start: ['START', 'UNSTOP'],
  help: ['HELP', 'INFO'],
};
const SPANISH_KEYWORDS: Readonly<Record<Keyword, readonly string[]>> = {
  stop: ['PARAR', 'PARE', 'ALTO', 'BAJA', 'CANCELAR', 'DETENER', 'NOMAS', 'NOMÁS'],
  start: ['INICIAR', 'COMENZAR', 'EMPEZAR', 'ALTA'],
  help: ['AYUDA'],
};

export interface ReceivedKeyword {
  readonly keyword: Keyword;
  /** Null if the words are used in every language. */
  readonly language: Language | null;
}

const listed = (keywords: Readonly<Record<Keyword, readonly string[]>>, language: Language | null) =>
  (Object.keys(keywords) as Keyword[]).flatMap((keyword) =>
    keywords[keyword].map((word): [string, ReceivedKeyword] => [word, { keyword, language }]),
  );

const KEYWORDS: ReadonlyMap<string, ReceivedKeyword> = new Map([
  ...listed(CARRIER_KEYWORDS, null),
  ...listed(SPANISH_KEYWORDS, 'es'),
]);

/** Recognizes a reply that consists of the keyword alone, in any spelling: "Stop.", "OPT-OUT", "stop all", "¡Alto!". */
export function readKeyword(reply: string): ReceivedKeyword | null {
  const letters = reply
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
  return KEYWORDS.get(letters) ?? null;
}

const expand = (words: string): string => words.replaceAll(/\{([a-z]+)\}/g, (_, name: string) => `(?:${WORDS[name]})`);

/** A phrase as an expression on words that one space follows each. */
const toPattern = (phrase: string): string =>
  (phrase.match(/\[[^\]]*\]|\([^)]*\)|\S+/g) ?? [])
    .map((token) => {
      if (token === '...') return '(?:[^ .~]+ ){0,4}';
      if (token.startsWith('[')) return `(?:(?:${expand(token.slice(1, -1))}) )?`;
      return `(?:${expand(token)}) `;
    })
    .join('')
    .replaceAll(/(?<=[ (|:])\.(?=[ )|])/g, String.raw`\.`);

const toSource = (table: string): string => `(?:${table.trim().split('\n').map(toPattern).join('|')})`;
/** Words are separated by one space, which also begins and ends the text. */
const contains = (table: string): RegExp => new RegExp(`(?<= )${toSource(table)}`);
const consistsOf = (...tables: readonly string[]): RegExp => new RegExp(`^ (?:${tables.map(toSource).join('|')})+$`);

const OTHER_MEANINGS = new RegExp(contains(ORDINARY), 'g');
const FILLER_WORDS = new RegExp(`(?<= )(?:${FILLERS}) `, 'g');
const IS_ALONE = consistsOf(ALONE);
const IS_WHOLE = consistsOf(ALONE, WHOLE);
const ASKS_FOR_NO_TEXTS = contains(OPT_OUT_EN);
const ASKS_FOR_NO_TEXTS_ES = contains(OPT_OUT_ES);
const LIMITS = new RegExp(contains(LIMITED), 'g');
const MAY_ASK = contains(ASK);

const SIGNATURE =
  /\n\s*(?:--|__|sent (?:from|via|with) |enviado (?:desde|con) |get outlook|obt[eé]n(?:er)? outlook)[\s\S]*$/i;

/** In lower case without accents, apostrophes, emoji and signature. ` . ` ends a sentence, and ` , ` separates its parts. */
const toPlainWords = (text: string): string =>
  ` . ${text
    .replace(SIGNATURE, '')
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll('🛑', ' stop ')
    .replaceAll(/[\p{M}'’‘`´*_~>"“”«»¡¿()]/gu, '')
    .replaceAll(/[.!?;\n…]+/g, ' . ')
    .replaceAll(/[,:—–]+|\s-+\s|-+$/g, ' , ')
    .replaceAll(/[^a-z0-9.,#\s]/g, ' ')
    .replaceAll(/([a-z])\1{2,}/g, '$1')} . `
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/(?<= )\. (?:[.,] )+/g, '. ');

const withoutFillers = (words: string): string => words.replaceAll(/ [.,](?= )/g, '').replaceAll(FILLER_WORDS, '');

const isAlone = (words: string): boolean =>
  words.split(' . ').some((sentence) => {
    const parts = sentence.split(' , ');
    return [sentence, parts[0], parts.at(-1)].some((part) => IS_ALONE.test(withoutFillers(` ${part} `)));
  });

/** `reply`: an ordinary reply. `ask`: it may ask for no more texts. */
export type Reading = ReceivedKeyword | 'ask' | 'reply';

/** Reads a text to a recipient's number. The same text always has the same result: words decide, in the tables of `phrases.ts`. */
export function readReply(text: string): Reading {
  const keyword = readKeyword(text);
  if (keyword !== null) return keyword;
  const words = toPlainWords(text);
  if (IS_WHOLE.test(withoutFillers(words)) || isAlone(words)) return { keyword: 'stop', language: null };
  const unexplained = words.replaceAll(OTHER_MEANINGS, '~ ');
  const unlimited = unexplained.replaceAll(LIMITS, '~ ');
  const sentences = unlimited.replaceAll(' , ', ' ');
  if (ASKS_FOR_NO_TEXTS.test(sentences)) return { keyword: 'stop', language: null };
  if (ASKS_FOR_NO_TEXTS_ES.test(sentences)) return { keyword: 'stop', language: 'es' };
  return unlimited !== unexplained || MAY_ASK.test(sentences) ? 'ask' : 'reply';
}
