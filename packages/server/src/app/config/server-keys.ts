import { type KeySource, parseServerKey } from '../../platform/server-key.ts';
import { ConfigError, type Read } from './values.ts';

export interface ServerKeys {
  /** Undefined: server.key in dataDir. */
  readonly serverKey: Buffer | undefined;
  /** Also accepted, while the key is rotated. */
  readonly previousServerKeys: readonly Buffer[];
}

function readServerKey(text: string): Buffer {
  const key = parseServerKey(text);
  // Does not show the value: every link derives from this secret.
  if (key === null)
    throw new ConfigError('SERVER_KEY must be 64 hexadecimal digits, such as the output of openssl rand -hex 32');
  return key;
}

export function readServerKeys(read: Read): ServerKeys {
  const texts = read('SERVER_KEY')?.split(',') ?? [];
  const [serverKey, ...previousServerKeys] = texts.map((text) => readServerKey(text.trim()));
  return { serverKey, previousServerKeys };
}

/** Where this configuration has its server keys. */
export const keySource = (config: ServerKeys & Pick<KeySource, 'dataDir'>): KeySource => {
  const { dataDir, serverKey, previousServerKeys } = config;
  return { dataDir, given: serverKey === undefined ? [] : [serverKey, ...previousServerKeys] };
};
