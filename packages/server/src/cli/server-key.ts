import { type Config, readConfig } from '../config.ts';
import { createLinks, type Links } from '../links/index.ts';
import type { Queryable } from '../platform/db.ts';
import { openServerKey, requireSameKey, type ServerKey } from '../platform/server-key.ts';
import type { Tables } from '../tables.ts';

/** The key of the service. Fails if this one differs. */
export async function openKey(tx: Queryable<Tables>, config: Config = readConfig()): Promise<ServerKey> {
  const key = openServerKey({ dataDir: config.dataDir, given: config.serverKey });
  await requireSameKey(tx, key);
  return key;
}

/** Creates the same links as the service. */
export const openLinks = async (tx: Queryable<Tables>, config: Config): Promise<Links> =>
  createLinks(await openKey(tx, config), config.publicUrl);
