import { createHmac, createSecretKey, KeyObject, timingSafeEqual } from 'node:crypto';

// Node's HMACs and ciphers take four times as long with a key in a Buffer (`npm run bench -- cost`).

const objects = new WeakMap<Buffer, KeyObject>();

function keep(key: Buffer): KeyObject {
  const object = createSecretKey(key);
  objects.set(key, object);
  return object;
}

/** HMAC-SHA256. The object of a Buffer is kept with it, so a key that is used once is better given as an object. */
export const hmac = (key: Buffer | KeyObject, text: string): Buffer => {
  const object = key instanceof KeyObject ? key : (objects.get(key) ?? keep(key));
  return createHmac('sha256', object).update(text).digest();
};

/** Compares a secret or a signature in the same time, wherever the two differ. */
export function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
