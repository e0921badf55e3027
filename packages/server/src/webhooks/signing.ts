import { createHmac } from 'node:crypto';
import { randomSecret } from '../platform/seal.ts';

// Standard Webhooks requires 24 to 64.
const SECRET_BYTES = 32;
const PREFIX = 'whsec_';

export const createSecret = (): string => PREFIX + randomSecret(SECRET_BYTES).toString('base64');

const sign = (secret: string, content: string): string =>
  `v1,${createHmac('sha256', Buffer.from(secret.slice(PREFIX.length), 'base64'))
    .update(content)
    .digest('base64')}`;

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
