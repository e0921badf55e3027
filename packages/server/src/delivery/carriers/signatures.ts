import { createHmac, createPublicKey, timingSafeEqual, verify } from 'node:crypto';
import { hmac } from '../../platform/hmac.ts';

/** Rejects signed calls that are older or newer, which may be replays. */
const TOLERANCE_S = 300;
const SECRET_PREFIX = 'whsec_';

const isSame = (one: string, other: string): boolean => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
};

/** The configuration has one secret. */
const keys = new Map<string, Buffer>();

/** Standard Webhooks 1.0. The secret is base64, usually after `whsec_`. */
function standardSignature(secret: string, id: string, timestampS: string, body: string): string {
  const encoded = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret;
  const key = keys.get(secret) ?? Buffer.from(encoded, 'base64');
  keys.set(secret, key);
  return `v1,${hmac(key, `${id}.${timestampS}.${body}`).toString('base64')}`;
}

export function signStandard(secret: string, id: string, body: string, now: Date): Record<string, string> {
  const timestampS = String(Math.floor(now.getTime() / 1000));
  return {
    'webhook-id': id,
    'webhook-timestamp': timestampS,
    'webhook-signature': standardSignature(secret, id, timestampS, body),
  };
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

export function verifyStandard(secret: string, headers: Headers, body: string, now: Date): boolean {
  const id = headers['webhook-id'];
  const timestampS = headers['webhook-timestamp'];
  const signatures = headers['webhook-signature'];
  if (typeof id !== 'string' || typeof timestampS !== 'string' || typeof signatures !== 'string') return false;
  const ageS = Math.abs(now.getTime() / 1000 - Number(timestampS));
  if (!/^\d+$/.test(timestampS) || ageS > TOLERANCE_S) return false;
  const expected = standardSignature(secret, id, timestampS, body);
  return signatures.split(' ').some((signature) => isSame(signature, expected));
}

/** Twilio signs the URL that it calls, followed by each field and its value, sorted by name. */
export const twilioSignature = (authToken: string, url: string, fields: URLSearchParams): string => {
  const sorted = [...fields].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return createHmac('sha1', authToken)
    .update(url + sorted.map(([name, value]) => name + value).join(''))
    .digest('base64');
};

export const verifyTwilio = (
  authToken: string,
  signature: string | string[] | undefined,
  url: string,
  fields: URLSearchParams,
): boolean => typeof signature === 'string' && isSame(signature, twilioSignature(authToken, url, fields));

/** Telnyx signs the time and the body with Ed25519. The public key is base64. */
export function verifyTelnyx(publicKey: string, headers: Headers, body: string, now: Date): boolean {
  const timestampS = headers['telnyx-timestamp'];
  const signature = headers['telnyx-signature-ed25519'];
  if (typeof timestampS !== 'string' || typeof signature !== 'string') return false;
  if (!/^\d+$/.test(timestampS) || Math.abs(now.getTime() / 1000 - Number(timestampS)) > TOLERANCE_S) return false;
  const x = Buffer.from(publicKey, 'base64').toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, Buffer.from(`${timestampS}|${body}`), key, Buffer.from(signature, 'base64'));
}
