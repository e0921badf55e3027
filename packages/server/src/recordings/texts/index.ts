/** The texts of the recorder's page and of refused takes. */

import type { Language } from '@foreword/contract';
import { en } from './en.ts';
import { es } from './es.ts';
import type { RecorderTexts } from './recorder-texts.ts';

export type { RecorderTexts };

export const TEXTS: Readonly<Record<Language, RecorderTexts>> = { en, es };
