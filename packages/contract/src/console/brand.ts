import { define } from './operation.ts';

export const BRAND_OPERATIONS = define({});
