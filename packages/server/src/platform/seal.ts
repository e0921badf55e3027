import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import type { Clock } from './clock.ts';
import type { DerivedKey, ServerKey } from './server-key.ts';

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

export const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer');

/** Compares a secret or a signature in the same time, wherever the two differ and however long they are. */
export const isSame = (one: string, other: string): boolean => timingSafeEqual(sha256(one), sha256(other));

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** With the first key of the database: the version, the nonce, the content, the tag. */
const FIRST_KEY = 1;
/** With a later one: the version, the id of the key, the nonce, the content, the tag. */
const LATER_KEY = 2;
const ID_BYTES = 4;

/** Encrypts secrets that must be read again, so that the database alone does not reveal them. */
export interface Seal {
  /** `place` binds the secret to its row: it cannot be opened in another one. */
  close(secret: string, place: string): Buffer;
  open(sealed: Buffer, place: string): string;
}

interface Keys {
  current(): DerivedKey;
  all(): readonly DerivedKey[];
}

const headerOf = ({ id }: DerivedKey): Buffer =>
  id === null ? Buffer.of(FIRST_KEY) : Buffer.concat([Buffer.of(LATER_KEY), id]);

/** Whether the value was encrypted with this key. */
export const isSealedWith = (key: DerivedKey, sealed: Buffer): boolean => {
  const header = headerOf(key);
  return sealed.subarray(0, header.length).equals(header);
};

function createSealWith(keys: Keys, secretOf: (key: Buffer, place: string) => Buffer): Seal {
  return {
    close(secret, place) {
      const key = keys.current();
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, createSecretKey(secretOf(key.key, place)), nonce, {
        authTagLength: TAG_BYTES,
      });
      cipher.setAAD(Buffer.from(place));
      const closed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return Buffer.concat([headerOf(key), nonce, closed, cipher.getAuthTag()]);
    },
    open(sealed, place) {
      const start = sealed[0] === LATER_KEY ? 1 + ID_BYTES : 1;
      const key = keys.all().find((one) => isSealedWith(one, sealed));
      if (key === undefined || sealed.length < start + NONCE_BYTES + TAG_BYTES) throw new Error('not a sealed secret');
      const from = start + NONCE_BYTES;
      const decipher = createDecipheriv(
        CIPHER,
        createSecretKey(secretOf(key.key, place)),
        sealed.subarray(start, from),
        {
          authTagLength: TAG_BYTES,
        },
      );
      decipher.setAAD(Buffer.from(place));
      decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
      const opened = Buffer.concat([decipher.update(sealed.subarray(from, -TAG_BYTES)), decipher.final()]);
      return opened.toString('utf8');
    },
  };
}

/** `key`: 32 bytes that are used for nothing else, and never change. */
export function createSeal(key: Buffer): Seal {
  const only: DerivedKey = { id: null, key };
  return createSealWith({ current: () => only, all: () => [only] }, (own) => own);
}

const keysOf = (serverKey: ServerKey, purpose: string): Keys => ({
  current: () => serverKey.current(purpose),
  all: () => serverKey.all(purpose),
});

/** Encrypts with the current server key, and also opens what earlier ones have encrypted. */
export const sealWith = (serverKey: ServerKey, purpose: string): Seal =>
  createSealWith(keysOf(serverKey, purpose), (key) => key);

/**
 * For contents of large tables. Each row gets a key of its own: random nonces under one key are safe for some billion rows
 * only.
 */
export const rowSealWith = (serverKey: ServerKey, purpose: string): Seal =>
  createSealWith(keysOf(serverKey, purpose), hmac);

/** For values that a browser keeps for the server, as text. */
export const sealForAWhile = <T>(seal: Seal, clock: Clock, lifeMs: number) => ({
  close: (value: T, place: string): string =>
    seal.close(JSON.stringify({ value, until: clock().getTime() + lifeMs }), place).toString('base64url'),
  /** Null when it has expired, or was not sealed for this place. */
  open(text: string, place: string): T | null {
    try {
      const opened: { value: T; until: number } = JSON.parse(seal.open(Buffer.from(text, 'base64url'), place));
      return opened.until > clock().getTime() ? opened.value : null;
    } catch {
      return null;
    }
  },
});

export const randomSecret = (bytes: number): Buffer => randomBytes(bytes);
