import { ID_PATTERN } from '../../platform/ids.ts';

/** What one of the words, or all of them, has to be. Beginnings are compared in small letters. */
export type SearchTerm =
  | { readonly kind: 'id' | 'event' | 'reference'; readonly is: string }
  | { readonly kind: 'phone'; readonly begins: string }
  | { readonly kind: 'first_name' | 'last_name'; readonly begins: string }
  /** Both names: one of them in full. */
  | { readonly kind: 'names'; readonly first: string; readonly lastBegins: string }
  | { readonly kind: 'turned_names'; readonly last: string; readonly firstBegins: string };

/** Fewer digits begin too many numbers to say anything. */
const SHORTEST_NUMBER = 4;
const LONGEST_NUMBER = 15;
const MOST_WORDS = 4;
const COUNTRY = '1';

/** "415 555", "(415) 555-01", "+1 415": every way to write the beginning of a number. Without a country, it is also ours. */
export function phonePrefixes(text: string): string[] {
  if (!/^\+?[\d\s().\-–/]+$/.test(text)) return [];
  const digits = text.replaceAll(/\D/g, '');
  if (digits.length < SHORTEST_NUMBER || digits.length > LONGEST_NUMBER) return [];
  return text.startsWith('+') ? [`+${digits}`] : [`+${digits}`, `+${COUNTRY}${digits}`];
}

const upperFirst = (word: string): string => word.charAt(0).toLocaleUpperCase('en') + word.slice(1);

/** A database that only knows the letters of ASCII finds "Élodie" by "Élodie", not by "élodie". */
const spellings = (name: string): string[] => (/^\p{ASCII}/u.test(name) ? [name] : [name, upperFirst(name)]);

function namesOf(text: string): SearchTerm[] {
  const words = text.split(/[\s,]+/).filter((word) => word !== '');
  if (words.length === 0 || words.length > MOST_WORDS) return [];
  const clues: SearchTerm[] = [];
  for (const begins of spellings(words.join(' '))) {
    clues.push({ kind: 'first_name', begins }, { kind: 'last_name', begins });
  }
  for (let at = 1; at < words.length; at++) {
    const [head, tail] = [words.slice(0, at).join(' '), words.slice(at).join(' ')];
    clues.push({ kind: 'names', first: head, lastBegins: tail });
    clues.push({ kind: 'turned_names', last: head, firstBegins: tail });
  }
  return clues;
}

/** Everything that somebody may have meant; an intro that fits one of them is found. */
export function parseSearchTerms(text: string): readonly SearchTerm[] {
  const wanted = text.trim();
  if (ID_PATTERN.test(wanted)) {
    if (wanted.startsWith('int_')) return [{ kind: 'id', is: wanted }];
    if (wanted.startsWith('evt_')) return [{ kind: 'event', is: wanted }];
  }
  const phones = phonePrefixes(wanted).map((begins): SearchTerm => ({ kind: 'phone', begins }));
  return [{ kind: 'reference', is: wanted }, ...phones, ...(phones.length > 0 ? [] : namesOf(wanted))];
}
