import type { Language } from '@foreword/contract';

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
  /** Null if the keyword is used in every language. */
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
