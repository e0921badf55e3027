import { Type } from 'typebox';
import { Name } from '../../fields.ts';
import { define, RetryKey, response } from '../operation.ts';

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

export const KEYS_OPERATIONS = define({
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
