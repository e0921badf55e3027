import { define } from './operation.ts';

export const DEVELOPERS_OPERATIONS = define({});
