import { createHmac, timingSafeEqual } from 'node:crypto';

/** Older messages may be recordings that someone replays. The same tolerance as the Standard Webhooks libraries. */
const TOLERANCE_S = 5 * 60;

export interface SignedMessage {
  readonly id: string;
  readonly timestamp: string;
  readonly signature: string;
}

function isSame(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Checks a Standard Webhooks 1.0 signature on the raw body. During a rotation a message has two; one match is enough. */
export function isValidSignature(secret: string, message: SignedMessage, rawBody: Buffer, nowMs: number): boolean {
  const { id, timestamp, signature } = message;
  if (secret === '' || id === '' || !/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(nowMs / 1000 - Number(timestamp)) > TOLERANCE_S) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(rawBody).digest('base64');
  return signature.split(' ').some((one) => isSame(one, `v1,${expected}`));
}
