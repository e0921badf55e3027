/** The server key: its files, which key is in use, and rotation. */

export { firstServerKey, type KeySource, openServerKey, parseServerKey, readServerKeys } from './server-key/files.ts';
export {
  type DerivedKey,
  fingerprintOf,
  type Root,
  type ServerKey,
  ServerKeyError,
  toServerKey,
} from './server-key/key.ts';
export { findKeyInUse, KEYS_INTERVAL_MS, type Keyring, openKeyring, readKeyring } from './server-key/keyring.ts';
export { isReencrypted, type Rotation, rotateServerKey } from './server-key/rotation.ts';
export { readStoredKeys } from './server-key/store.ts';
