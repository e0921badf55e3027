import { ID_PATTERN } from '../platform/ids.ts';

/** One way to match an intro. Prefixes are compared in lowercase. */
export type SearchTerm =
  | { readonly kind: 'id' | 'event' | 'reference'; readonly value: string }
  | { readonly kind: 'phone'; readonly prefix: string }
  | { readonly kind: 'first_name' | 'last_name'; readonly prefix: string }
  /** Both names, the first of them complete. */
  | { readonly kind: 'first_last'; readonly first: string; readonly lastPrefix: string }
  | { readonly kind: 'last_first'; readonly last: string; readonly firstPrefix: string };

/** Fewer digits match too many numbers. */
const MIN_DIGITS = 4;
const MAX_DIGITS = 15;
const MAX_WORDS = 4;
const COUNTRY = '1';

/** E.164 prefixes for "415 555", "(415) 555-01" or "+1 415". Without a country code, the default one is tried as well. */
export function phonePrefixes(text: string): string[] {
  if (!/^\+?[\d\s().\-–/]+$/.test(text)) return [];
  const digits = text.replaceAll(/\D/g, '');
  if (digits.length < MIN_DIGITS || digits.length > MAX_DIGITS) return [];
  return text.startsWith('+') ? [`+${digits}`] : [`+${digits}`, `+${COUNTRY}${digits}`];
}

const upperFirst = (word: string): string => word.charAt(0).toLocaleUpperCase('en') + word.slice(1);

/** In the C locale, `lower()` handles only ASCII: "Élodie" is found by "Élodie" but not by "élodie". */
const spellings = (name: string): string[] => (/^\p{ASCII}/u.test(name) ? [name] : [name, upperFirst(name)]);

function nameTerms(text: string): SearchTerm[] {
  const words = text.split(/[\s,]+/).filter((word) => word !== '');
  if (words.length === 0 || words.length > MAX_WORDS) return [];
  const terms: SearchTerm[] = [];
  for (const prefix of spellings(words.join(' '))) {
    terms.push({ kind: 'first_name', prefix }, { kind: 'last_name', prefix });
  }
  for (let at = 1; at < words.length; at++) {
    const [head, tail] = [words.slice(0, at).join(' '), words.slice(at).join(' ')];
    terms.push({ kind: 'first_last', first: head, lastPrefix: tail });
    terms.push({ kind: 'last_first', last: head, firstPrefix: tail });
  }
  return terms;
}

/** Every interpretation of the text. An intro that matches any of them is a result. */
export function parseSearchTerms(text: string): readonly SearchTerm[] {
  const wanted = text.trim();
  if (ID_PATTERN.test(wanted)) {
    if (wanted.startsWith('int_')) return [{ kind: 'id', value: wanted }];
    if (wanted.startsWith('evt_')) return [{ kind: 'event', value: wanted }];
  }
  const phones = phonePrefixes(wanted).map((prefix): SearchTerm => ({ kind: 'phone', prefix }));
  return [{ kind: 'reference', value: wanted }, ...phones, ...(phones.length > 0 ? [] : nameTerms(wanted))];
}
