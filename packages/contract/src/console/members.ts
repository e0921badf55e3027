import { define } from './operation.ts';

export const MEMBERS_OPERATIONS = define({});
