import { createSecretKey } from 'node:crypto';
import { hmac } from './seal.ts';

export const SECRET_PREFIX = 'whsec_';

/** Standard Webhooks 1.0. The secret is base64, usually after `whsec_`. */
export const standardSignature = (secret: string, content: string): string =>
  `v1,${hmac(createSecretKey(secret.replace(SECRET_PREFIX, ''), 'base64'), content).toString('base64')}`;

/** The headers of a message, with one signature per valid secret, newest first. */
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
    'webhook-signature': secrets.map((secret) => standardSignature(secret, content)).join(' '),
  };
}
