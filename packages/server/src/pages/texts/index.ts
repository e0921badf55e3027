/** The texts of the recipient page in each language. */

import type { Language, Translated } from '@foreword/contract';
import { EN } from './en.ts';
import { ES } from './es.ts';

export type PageTexts = Translated<typeof EN>;

const TEXTS: Readonly<Record<Language, PageTexts>> = { en: EN, es: ES };

export const textsIn = (language: Language): PageTexts => TEXTS[language];
