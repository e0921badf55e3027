export type Keyword = 'stop' | 'start' | 'help';

const KEYWORDS: Readonly<Record<string, Keyword>> = {
  ...Object.fromEntries(
    ['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPTOUT'].map((word) => [word, 'stop']),
  ),
  ...Object.fromEntries(['START', 'UNSTOP'].map((word) => [word, 'start'])),
  ...Object.fromEntries(['HELP', 'INFO'].map((word) => [word, 'help'])),
};

/** Recognizes a reply that consists of the keyword alone, in any spelling: "Stop.", "OPT-OUT", "stop all". */
export function readKeyword(reply: string): Keyword | null {
  const letters = reply
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
  return Object.hasOwn(KEYWORDS, letters) ? (KEYWORDS[letters] ?? null) : null;
}
