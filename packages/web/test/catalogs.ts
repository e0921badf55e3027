import type { Language } from '@foreword/contract';
import type { BrowserContext, Page } from 'playwright-core';
import * as en from '../recorder/texts/en/index.ts';
import * as es from '../recorder/texts/es/index.ts';

/** Does not compile if a language lacks a text. */
export const CATALOGS: Readonly<Record<Language, typeof en>> = { en, es };

/** Every text of a language by its place in the catalog. `value` stands for each name and number. */
export function listTexts(language: Language, value: string): Map<string, string> {
  const found = new Map<string, string>();
  const visit = (place: string, text: unknown): void => {
    if (typeof text === 'string') found.set(place, text);
    else if (typeof text === 'function') visit(place, text(value, value));
    else for (const [name, part] of Object.entries(text ?? {})) visit(`${place}.${name}`, part);
  };
  for (const [name, text] of Object.entries(CATALOGS[language])) if (name !== 'LOCALE') visit(name, text);
  return found;
}

const languages = new WeakMap<BrowserContext, Language>();

/** The language that the recorder's pages in this browser are expected in. English by default. */
export const expectLanguage = (context: BrowserContext, language: Language): void => {
  languages.set(context, language);
};

/** The recipient of most tests. */
const FIRST_NAME = 'Dana';

/** The recorder's text as it appears on the page. `english` may be a part of it. */
export function shown(page: Page, english: string | RegExp): string | RegExp {
  const language = languages.get(page.context()) ?? 'en';
  if (language === 'en') return english;
  const texts = [...listTexts('en', FIRST_NAME)];
  const matches = (text: string): boolean =>
    typeof english === 'string' ? text.includes(english) : english.test(text);
  const [place] = texts.find(([, text]) => text === english) ?? texts.find(([, text]) => matches(text)) ?? [];
  const translated = listTexts(language, FIRST_NAME).get(place ?? '');
  if (translated === undefined) throw new Error(`The recorder has no text like ${english}.`);
  return translated;
}
