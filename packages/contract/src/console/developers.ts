/** The developer pages of the console: dry runs, the request log and webhooks. */

import { Name, Nullable, oneOf } from '../fields.ts';
import { KEY_SCOPES, type KeyScope } from '../plain/index.ts';
import { Type } from '../schema.ts';
import { DRY_RUN_OPERATIONS } from './developers/dry-run.ts';
import { REQUESTS_OPERATIONS } from './developers/requests.ts';
import { WEBHOOKS_OPERATIONS } from './developers/webhooks.ts';
import { define, json, response, Time } from './operation.ts';

export type * from './developers/dry-run.ts';
export type * from './developers/requests.ts';
export * from './developers/webhooks.ts';

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
  /** Null: never. */
  readonly expires_at: string | null;
  /** The addresses and networks from which the key works. Empty: any. */
  readonly allowed_ips: readonly string[];
  readonly scope: KeyScope;
  /** Whether it may get the recording links of members. */
  readonly recording_links: boolean;
  /** Whether agents may change something with it, through /mcp. */
  readonly agent_writes: boolean;
}

/** The secret is shown only once. */
export interface NewApiKey {
  readonly key: ApiKey;
  readonly secret: string;
}

const KEY_LIMITS = {
  expires_at: Type.Optional(Nullable(Time('When the key stops working. Null: never.'))),
  allowed_ips: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 60 }), {
      maxItems: 50,
      uniqueItems: true,
      'x-problem': 'must be a list of at most 50 different addresses or networks',
      description: 'The addresses and networks from which the key works, such as 203.0.113.0/24. Empty: any.',
    }),
  ),
  scope: Type.Optional(oneOf(KEY_SCOPES, 'The operations that the key may use.')),
  recording_links: Type.Optional(
    Type.Boolean({
      'x-problem': 'must be true or false',
      description: 'Whether the key may get the recording links of members. Only with the scope full.',
    }),
  ),
  agent_writes: Type.Optional(
    Type.Boolean({
      'x-problem': 'must be true or false',
      description: 'Whether agents may change something with the key. Not with the scope read.',
    }),
  ),
};

const KEYS_OPERATIONS = define({
  listKeys: { route: 'GET /keys', role: 'owner', success: response<{ keys: ApiKey[] }>() },
  createKey: {
    route: 'POST /keys',
    role: 'owner',
    isKeyed: true,
    body: json({ name: Name('The purpose of the key.', 'Acme CRM'), ...KEY_LIMITS }),
    success: response<NewApiKey>(),
  },
  /** Changes only the given limits. */
  changeKey: { route: 'POST /keys/{id}', role: 'owner', body: json(KEY_LIMITS), success: response<ApiKey>() },
  revokeKey: { route: 'POST /keys/{id}/revoke', role: 'owner', success: response<ApiKey>() },
});

/** For developers who integrate another system. */
export const DEVELOPERS_OPERATIONS = {
  ...KEYS_OPERATIONS,
  ...WEBHOOKS_OPERATIONS,
  ...REQUESTS_OPERATIONS,
  ...DRY_RUN_OPERATIONS,
};
