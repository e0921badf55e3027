import { createHmac } from 'node:crypto';
import { isSameSecret } from '../bridge/index.ts';

/** Calls that are older or newer may be replays. */
const TOLERANCE_S = 300;

export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Standard Webhooks 1.0, which Foreword uses in both directions. The secret is `whsec_` and base64. */
function signatureOf(secret: string, id: string, timestampS: string, body: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestampS}.${body}`).digest('base64')}`;
}

export function isSigned(secret: string, headers: Headers, body: string): boolean {
  const [id, timestampS, signatures] = ['id', 'timestamp', 'signature'].map((name) => headers[`webhook-${name}`]);
  if (typeof id !== 'string' || typeof timestampS !== 'string' || typeof signatures !== 'string') return false;
  if (!/^\d+$/.test(timestampS) || Math.abs(Date.now() / 1000 - Number(timestampS)) > TOLERANCE_S) return false;
  const expected = signatureOf(secret, id, timestampS, body);
  return signatures.split(' ').some((signature) => isSameSecret(signature, expected));
}

export function sign(secret: string, id: string, body: string): Record<string, string> {
  const timestampS = String(Math.floor(Date.now() / 1000));
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestampS,
    'webhook-signature': signatureOf(secret, id, timestampS, body),
  };
}
