/** The languages of recipients, and of an organization's recorder and emails. */
export const LANGUAGES = ['en', 'es'] as const;
export type Language = (typeof LANGUAGES)[number];
export const DEFAULT_LANGUAGE = 'en';

/** For `Intl`. Spanish as it is written in the Americas, with the 12-hour clock of the United States. */
export const LOCALES: Readonly<Record<Language, string>> = { en: 'en-US', es: 'es-US' };

/** The type of texts in another language: the same keys and parameters, with other words. */
export type Translated<T> = T extends (...values: infer V) => infer R
  ? (...values: V) => Translated<R>
  : T extends string
    ? string
    : { readonly [K in keyof T]: Translated<T[K]> };
