/** The server key: its files, which key is in use, and rotation. */

export {
  type DerivedKey,
  fingerprintOf,
  firstServerKey,
  type KeySource,
  openServerKey,
  parseServerKey,
  type Root,
  readServerKeys,
  type ServerKey,
  ServerKeyError,
  toServerKey,
} from './server-key/key.ts';
export {
  findKeyInUse,
  KEYS_INTERVAL_MS,
  type Keyring,
  openKeyring,
  readKeyring,
  readStoredKeys,
} from './server-key/keyring.ts';
export { isReencrypted, type Rotation, rotateServerKey } from './server-key/rotation.ts';
