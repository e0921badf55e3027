import { define } from './operation.ts';

export const OVERVIEW_OPERATIONS = define({});
