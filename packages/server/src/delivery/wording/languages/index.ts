/** The wording of texts and emails in each language. */

import type { Language, Translated } from '@foreword/contract';
import { EN } from './en.ts';
import { ES } from './es.ts';

const WORDING: Readonly<Record<Language, Translated<typeof EN>>> = { en: EN, es: ES };

export const wordingIn = (language: Language): Translated<typeof EN> => WORDING[language];
