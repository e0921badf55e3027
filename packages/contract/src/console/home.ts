import { define } from './operation.ts';

export const HOME_OPERATIONS = define({});
