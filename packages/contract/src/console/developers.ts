import { DRY_RUN_OPERATIONS } from './developers/dry-run.ts';
import { FIRST_STEPS_OPERATIONS } from './developers/first-steps.ts';
import { KEYS_OPERATIONS } from './developers/keys.ts';
import { REQUESTS_OPERATIONS } from './developers/requests.ts';
import { WEBHOOKS_OPERATIONS } from './developers/webhooks.ts';

export type * from './developers/dry-run.ts';
export type * from './developers/first-steps.ts';
export type * from './developers/keys.ts';
export type * from './developers/requests.ts';
export type * from './developers/webhooks.ts';

/** For developers who integrate another system. */
export const DEVELOPERS_OPERATIONS = {
  ...KEYS_OPERATIONS,
  ...WEBHOOKS_OPERATIONS,
  ...REQUESTS_OPERATIONS,
  ...DRY_RUN_OPERATIONS,
  ...FIRST_STEPS_OPERATIONS,
};
