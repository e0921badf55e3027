import type { IncomingHttpHeaders } from 'node:http';
import { DEFAULT_LANGUAGE, LANGUAGES, type Language } from '@foreword/contract';

/** The language that a browser prefers (RFC 9110, 12.5.4), for pages of links that belong to no one. */
export function browserLanguage({ 'accept-language': accepted = '' }: IncomingHttpHeaders): Language {
  const preferred = accepted
    .split(',')
    .map((entry) => {
      const [tag = '', quality = 'q=1'] = entry.split(';').map((part) => part.trim().toLowerCase());
      return { language: tag.split('-')[0], weight: Number(quality.replace('q=', '')) || 0 };
    })
    .sort((one, other) => other.weight - one.weight)
    .flatMap(({ language, weight }) => LANGUAGES.filter((known) => known === language && weight > 0));
  return preferred[0] ?? DEFAULT_LANGUAGE;
}
