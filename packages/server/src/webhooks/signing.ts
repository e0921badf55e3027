import { createSecretKey } from 'node:crypto';
import type { Row } from '../db/tenancy.ts';
import { hmac } from '../platform/hmac.ts';
import { isSealedWith, randomSecret, type Seal } from '../platform/seal.ts';
import type { DerivedKey } from '../platform/server-key.ts';

// Standard Webhooks requires 24 to 64.
const SECRET_BYTES = 32;
const PREFIX = 'whsec_';

export const createSecret = (): string => PREFIX + randomSecret(SECRET_BYTES).toString('base64');

const sign = (secret: string, content: string): string =>
  `v1,${hmac(createSecretKey(secret.slice(PREFIX.length), 'base64'), content).toString('base64')}`;

/** The headers of Standard Webhooks 1.0, with one signature per valid secret, newest first. */
export function signatureHeaders(
  message: { id: string; payload: string },
  secrets: readonly string[],
  now: Date,
): Record<string, string> {
  const timestamp = Math.floor(now.getTime() / 1000);
  const content = `${message.id}.${timestamp}.${message.payload}`;
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.map((secret) => sign(secret, content)).join(' '),
  };
}

type Sealed = Pick<
  Row<'webhook_endpoints'>,
  'organization_id' | 'id' | 'secret' | 'previous_secret' | 'previous_secret_expires_at'
>;

/** Derives a key that seals nothing else. */
export const SEAL_PURPOSE = 'webhook secrets';

type Place = Pick<Row<'webhook_endpoints'>, 'organization_id' | 'id'>;

export const secretPlace = ({ organization_id, id }: Place): string => `${organization_id}/${id}`;

export const sealSecret = (seal: Seal, place: Place, secret: string): Buffer => seal.close(secret, secretPlace(place));

/** For an endpoint whose secret can no longer be read. */
export const newSealedSecret = (seal: Seal, place: Place): Buffer => sealSecret(seal, place, createSecret());

/** The secrets to sign with: the current one and, during a rotation, the previous one. */
export function openSecrets(seal: Seal, row: Sealed, now: Date): string[] {
  const { secret, previous_secret: previous, previous_secret_expires_at: until } = row;
  const isRotating = previous !== null && until !== null && until > now;
  return (isRotating ? [secret, previous] : [secret]).map((sealed) => seal.open(sealed, secretPlace(row)));
}

/** Responses are stored permanently for their Idempotency-Key, so the secret is sealed there and opened for each reply. */
export const sealResponse = (seal: Seal, place: Place, response: { secret: string }): string =>
  JSON.stringify({ ...response, secret: sealSecret(seal, place, response.secret).toString('base64') });

export function openResponse(seal: Seal, organizationId: string, body: object | string): string {
  const response = (typeof body === 'string' ? JSON.parse(body) : body) as { id: string; secret: string };
  const place = secretPlace({ organization_id: organizationId, id: response.id });
  return JSON.stringify({ ...response, secret: seal.open(Buffer.from(response.secret, 'base64'), place) });
}

/** The same response with its secret encrypted with the current key; null if it is already. */
export function renewResponse(seal: Seal, current: DerivedKey, organizationId: string, body: string): string | null {
  const response = JSON.parse(body) as { id: string; secret: string };
  const sealed = Buffer.from(response.secret, 'base64');
  if (isSealedWith(current, sealed)) return null;
  const place = { organization_id: organizationId, id: response.id };
  return sealResponse(seal, place, { ...response, secret: seal.open(sealed, secretPlace(place)) });
}
