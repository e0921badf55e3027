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

/** The response of a request that returned a secret, as stored for its Idempotency-Key. */
interface WithSecret {
  readonly id: string;
  readonly secret: string;
}

const placeOf = (organizationId: string, { id }: WithSecret): Place => ({ organization_id: organizationId, id });

export const sealResponse = <T extends WithSecret>(seal: Seal, organizationId: string, response: T): T => ({
  ...response,
  secret: sealSecret(seal, placeOf(organizationId, response), response.secret).toString('base64'),
});

export const openResponse = <T extends WithSecret>(seal: Seal, organizationId: string, stored: T): T => ({
  ...stored,
  secret: seal.open(Buffer.from(stored.secret, 'base64'), secretPlace(placeOf(organizationId, stored))),
});

/** The same response with its secret encrypted with the current key; null if it is already. */
export function renewResponse(seal: Seal, current: DerivedKey, organizationId: string, body: string): string | null {
  const stored = JSON.parse(body) as WithSecret;
  if (isSealedWith(current, Buffer.from(stored.secret, 'base64'))) return null;
  return JSON.stringify(sealResponse(seal, organizationId, openResponse(seal, organizationId, stored)));
}
