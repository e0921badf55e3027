import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** Compares in constant time, even if the lengths differ. */
export function isSameSecret(received: string | undefined, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return received !== undefined && timingSafeEqual(digest(received), digest(expected));
}

export const hmacSha256 = (key: string, text: string, encoding: 'hex' | 'base64'): string =>
  createHmac('sha256', key).update(text).digest(encoding);
