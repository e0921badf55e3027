import type { SourceFile } from './source-files.ts';

interface RetiredWord {
  readonly pattern: RegExp;
  readonly say: string;
}

/** The words we no longer use, as far as a pattern can find them in code, comments and documentation. */
const RETIRED: readonly RetiredWord[] = [
  {
    pattern: /\bletters? (?:to|for|of) (?:an? |the )?owners?\b|\bowner[ -]?letters?\b|\bownerLetter/i,
    say: 'owner email',
  },
  { pattern: /\brehears(?:e|al|ed|als)\b|[a-z]Rehears/i, say: 'dry run' },
  { pattern: /\bimagin(?:e|ed|es)\b/i, say: 'dry run' },
  { pattern: /\bshelf\b|\bshelves\b/i, say: 'cache' },
  { pattern: /\berrands?\b/i, say: 'job' },
  { pattern: /\bsteady\b/i, say: 'a name for what it holds' },
  { pattern: /\blook(?:s|ed|ing)?[- ]through\b|\blookThrough\b/i, say: 'scan' },
  { pattern: /\bfirst-word\b|\bFIRST_WORD\b/, say: 'member notification' },
  { pattern: /\bmend(?:s|ed|ing)?\b/i, say: 'fix' },
  { pattern: /\bmailbox(?:es)?\b/i, say: 'inbox' },
  { pattern: /\b[a-z]*News\b|\bnews\b/, say: 'domain event, change event' },
  { pattern: /\bwhoever\b/i, say: 'the exact role' },
  { pattern: /\bsomebody\b|\bnobody\b/i, say: 'the exact role, or "no one"' },
  { pattern: /\bfor ever\b/i, say: 'forever' },
  { pattern: /\bunder way\b/i, say: 'in flight, pending' },
  { pattern: /\banew\b/i, say: 'again' },
  { pattern: /\bby and by\b/i, say: 'gradually' },
  { pattern: /\bopenStage\b|\b[A-Za-z]*Stage\b|\bstage\.ts\b/, say: 'fixture' },
  { pattern: /\bcreateLanes\b|\bcreateTurn\b/, say: 'concurrency limit, yield' },
  { pattern: /\bof ours\b/i, say: 'our' },
  { pattern: /\bsteps? back\b/i, say: 'yield, back off' },
  { pattern: /\bask(?:s|ed)? again\b/i, say: 'retry' },
  { pattern: /\bmade[ -]by\b(?=\.ts)/i, say: 'origin' },
  { pattern: /\bcolour|\bbehaviour|\binitialis|\bfavourite|\bcentre\b/i, say: 'the American spelling' },
];

/** Files in which a word is correct, with the reason. */
const ALLOWED: Record<string, readonly RegExp[]> = {
  // This list and its tests.
  'scripts/retired-words.ts': [/./],
  'scripts/test/source-rules.test.ts': [/./],
  // History may quote old words.
  'CHANGELOG.md': [/./],
  // The name of a system account.
  'packages/server/src/platform/embedded-postgres/account.ts': [/\bnobody\b/i],
  'packages/server/test/harness/debian-postgres.ts': [/\bnobody\b/i],
  'packages/server/test/platform/': [/\bnobody\b/i],
  // Scripts that members read to recipients.
  'packages/server/src/touchpoints/starting-set/exterior-remodeling.ts': [/\bnews\b/i],
  'packages/server/src/touchpoints/starting-set/real-estate.ts': [/\bnews\b/i],
};

/** Database names do not change: the applied migrations created them. */
const STABLE = /\bowner_letters?\b/gi;

export function findRetiredWords({ path: file, text }: SourceFile): string[] {
  const allowed = Object.entries(ALLOWED).flatMap(([path, words]) => (file.startsWith(path) ? words : []));
  return text.split('\n').flatMap((line, at) => {
    const read = line.replaceAll(STABLE, '');
    return RETIRED.filter(({ pattern }) => pattern.test(read) && !allowed.some((one) => one.test(line))).map(
      ({ pattern, say }) => `${file}:${at + 1}: "${read.match(pattern)?.[0]}" is retired; say: ${say}`,
    );
  });
}
