import { Type } from 'typebox';
import { Name } from '../fields.ts';
import { DRY_RUN_OPERATIONS } from './developers/dry-run.ts';
import { REQUESTS_OPERATIONS, searchText } from './developers/requests.ts';
import { WEBHOOKS_OPERATIONS } from './developers/webhooks.ts';
import type { TeamMember } from './members.ts';
import { define, RetryKey, response } from './operation.ts';
import type { TouchpointSummary } from './touchpoints.ts';

export type * from './developers/dry-run.ts';
export type * from './developers/requests.ts';
export type * from './developers/webhooks.ts';

/** An API key without its secret. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  /** The last characters, to recognize the key. */
  readonly ending: string;
  readonly created_at: string;
  /** Precise to a minute. Null when the key was never used. */
  readonly last_used_at: string | null;
  readonly revoked_at: string | null;
}

/** The secret is shown only once. */
export interface NewApiKey {
  readonly key: ApiKey;
  readonly secret: string;
}

const KEYS_OPERATIONS = define({
  'GET /keys': { role: 'owner', response: response<{ keys: ApiKey[] }>() },
  'POST /keys': {
    role: 'owner',
    body: Type.Object(
      { key: RetryKey, name: Name('What the key is for.', 'Acme CRM') },
      { additionalProperties: false },
    ),
    response: response<NewApiKey>(),
  },
  'POST /keys/:id/revoke': { role: 'owner', response: response<ApiKey>() },
});

export type StepTouchpoint = Pick<TouchpointSummary, 'slug' | 'name' | 'context' | 'active' | 'delivery'>;

export type StepMember = Pick<TeamMember, 'id' | 'external_id' | 'first_name' | 'last_name' | 'email'>;

/** The objects that the snippets use. */
export interface FirstSteps {
  readonly touchpoints: readonly StepTouchpoint[];
  /** Active members, newest first; at most `limit`. */
  readonly members: readonly StepMember[];
  readonly limit: number;
}

const FIRST_STEPS_OPERATIONS = define({
  'GET /first-steps': {
    role: 'manager',
    query: Type.Object(
      {
        member: Type.Optional(searchText('The beginning of a name, an email, or an external id.', 254)),
      },
      { additionalProperties: false },
    ),
    response: response<FirstSteps>(),
  },
});

/** For developers who integrate another system. */
export const DEVELOPERS_OPERATIONS = {
  ...KEYS_OPERATIONS,
  ...WEBHOOKS_OPERATIONS,
  ...REQUESTS_OPERATIONS,
  ...DRY_RUN_OPERATIONS,
  ...FIRST_STEPS_OPERATIONS,
};
