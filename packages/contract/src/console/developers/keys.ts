import { Type } from 'typebox';
import { Name } from '../../fields.ts';
import { define, RetryKey, response } from '../operation.ts';

/** A key as it is remembered: never the key itself. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  /** Its last letters, to tell it from others. */
  readonly ending: string;
  readonly created_at: string;
  /** To a minute; null when it was never used. */
  readonly last_used_at: string | null;
  readonly revoked_at: string | null;
}

/** Shown this once. */
export interface NewApiKey {
  readonly key: ApiKey;
  readonly secret: string;
}

export const KEYS_OPERATIONS = define({
  'GET /keys': { role: 'owner', response: response<{ keys: ApiKey[] }>() },
  'POST /keys': {
    role: 'owner',
    body: Type.Object(
      { key: RetryKey, name: Name('What it is for, so that you know it again.', 'Acme CRM') },
      { additionalProperties: false },
    ),
    response: response<NewApiKey>(),
  },
  'POST /keys/:id/revoke': { role: 'owner', response: response<ApiKey>() },
});
