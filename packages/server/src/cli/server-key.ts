import { type Config, keySource, readConfig } from '../config.ts';
import type { Tables } from '../db/tenancy.ts';
import { createLinks, type Links } from '../links/index.ts';
import type { Queryable } from '../platform/db.ts';
import { openKeyring, type ServerKey } from '../platform/server-key.ts';

/** The key of the service. Fails if this process has another one. */
export const openKey = (tx: Queryable<Tables>, config: Config = readConfig()): Promise<ServerKey> =>
  openKeyring(tx, keySource(config));

/** Creates the same links as the service. */
export const openLinks = async (tx: Queryable<Tables>, config: Config): Promise<Links> =>
  createLinks(await openKey(tx, config), config.publicUrl);
