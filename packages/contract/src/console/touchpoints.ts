import { define } from './operation.ts';

export const TOUCHPOINTS_OPERATIONS = define({});
