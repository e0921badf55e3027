import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Reserved for a future change of the format. */
const VERSION = 1;
const HEADER_BYTES = 1 + NONCE_BYTES;

/** Encrypts secrets that must be read again, so that the database alone does not reveal them. */
export interface Seal {
  /** `place` binds the secret to its row: it cannot be opened in another one. */
  close(secret: string, place: string): Buffer;
  open(sealed: Buffer, place: string): string;
}

/** `key`: 32 bytes that are used for nothing else. */
export function createSeal(key: Buffer): Seal {
  return {
    close(secret, place) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.from(place));
      const closed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return Buffer.concat([Buffer.of(VERSION), nonce, closed, cipher.getAuthTag()]);
    },
    open(sealed, place) {
      if (sealed[0] !== VERSION || sealed.length < HEADER_BYTES + TAG_BYTES) throw new Error('not a sealed secret');
      const decipher = createDecipheriv(CIPHER, key, sealed.subarray(1, HEADER_BYTES), { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(place));
      decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
      const opened = Buffer.concat([decipher.update(sealed.subarray(HEADER_BYTES, -TAG_BYTES)), decipher.final()]);
      return opened.toString('utf8');
    },
  };
}

/**
 * For contents of large tables. Each row gets a key of its own: random nonces under one key are safe for some billion rows
 * only. `key`: 32 bytes that are used for nothing else.
 */
export function createRowSeal(key: Buffer): Seal {
  const sealOf = (place: string) => createSeal(createHmac('sha256', key).update(place).digest());
  return {
    close: (text, place) => sealOf(place).close(text, place),
    open: (sealed, place) => sealOf(place).open(sealed, place),
  };
}

export const randomSecret = (bytes: number): Buffer => randomBytes(bytes);
