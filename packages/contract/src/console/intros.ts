import { define } from './operation.ts';

export const INTROS_OPERATIONS = define({});
