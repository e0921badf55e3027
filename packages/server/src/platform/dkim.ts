import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { ConfigError } from './process.ts';

/** The key that signs emails, and where its public half is published: `SELECTOR._domainkey.DOMAIN`. */
export interface DkimKey {
  readonly domain: string;
  readonly selector: string;
  /** PEM. */
  readonly privateKey: string;
}

/** RFC 8301: receivers ignore signatures of shorter keys. */
const MIN_BITS = 1024;
/** Many DNS providers reject the longer record of a larger key. */
const GENERATED_BITS = 2048;

function parseKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    throw new ConfigError('DKIM_PRIVATE_KEY must be a private key in PEM, without a password');
  }
}

/** Throws a ConfigError, without the key, unless emails can be signed with this key. */
export function checkDkimKey(pem: string): void {
  const key = parseKey(pem);
  if (key.asymmetricKeyType !== 'rsa') throw new ConfigError('DKIM_PRIVATE_KEY must be an RSA key');
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  if (bits < MIN_BITS) throw new ConfigError(`DKIM_PRIVATE_KEY must have at least ${MIN_BITS} bits, not ${bits}`);
}

export function generateDkimKey(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: GENERATED_BITS });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** The public key as DNS publishes it. */
export const publicKeyOf = (privateKey: string): string =>
  createPublicKey(createPrivateKey(privateKey)).export({ type: 'spki', format: 'der' }).toString('base64');

export const dkimRecordName = ({ domain, selector }: Pick<DkimKey, 'domain' | 'selector'>): string =>
  `${selector}._domainkey.${domain}`;

export const dkimRecordValue = (privateKey: string): string => `v=DKIM1; k=rsa; p=${publicKeyOf(privateKey)}`;
