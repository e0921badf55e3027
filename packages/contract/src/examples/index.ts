/** Named examples of every operation and webhook, which tell one story. */

import { EVENT_EXAMPLES } from './events.ts';
import { INTRO_EXAMPLES } from './intros.ts';
import { LINK_DOMAIN_EXAMPLES } from './link-domains.ts';
import { RECIPIENT_EXAMPLES } from './recipients.ts';
import { TEAM_EXAMPLES } from './team.ts';
import { TEST_HELPER_EXAMPLES } from './test-helpers.ts';
import type { Examples } from './types.ts';
import { WEBHOOK_ENDPOINT_EXAMPLES } from './webhooks.ts';

/** The examples of every operation; an operation without them is a type error. */
export const EXAMPLES: Examples = {
  ...EVENT_EXAMPLES,
  ...INTRO_EXAMPLES,
  ...RECIPIENT_EXAMPLES,
  ...TEST_HELPER_EXAMPLES,
  ...TEAM_EXAMPLES,
  ...LINK_DOMAIN_EXAMPLES,
  ...WEBHOOK_ENDPOINT_EXAMPLES,
};

export { WEBHOOK_EXAMPLES } from './payloads.ts';
