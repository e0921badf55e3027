/** The recorder's texts in Spanish. */

import { LOCALES } from '@foreword/contract/plain';

export * from './next.ts';
export * from './problems.ts';
export * from './screens.ts';
export * from './unable.ts';

/** For dates and times. */
export const LOCALE = LOCALES.es;
