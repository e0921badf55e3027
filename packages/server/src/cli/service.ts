import { type Config, keySource, readConfig } from '../app/config/index.ts';
import { describeDatabase } from '../app/database.ts';
import { openKeyring } from '../db/keyring.ts';
import type { Db } from '../db/tenancy.ts';
import { createLinks, type Links } from '../intros/links/index.ts';
import { systemClock } from '../platform/clock.ts';
import { type Objects, openObjects } from '../platform/objects/index.ts';
import type { ServerKey } from '../platform/server-key.ts';
import { findRunningService } from '../platform/service-address.ts';
import { Failure } from './failure.ts';

/** The configuration of a command that prints links. They start with PUBLIC_URL, otherwise with the running service's address. */
export async function readLinkConfig(): Promise<Config> {
  const config = readConfig();
  if (config.hasPublicUrl) return config;
  const running = await findRunningService(config.dataDir, describeDatabase(config));
  if (running !== null) return { ...config, publicUrl: running.url };
  if (config.port === 0) {
    throw new Failure(
      'The address of links is unknown: no service is running and PORT is 0. Start it, or set PUBLIC_URL.',
    );
  }
  return config;
}

/** The key of the service. Fails if this process has another one. */
export const openKey = (tx: Db, config: Config = readConfig()): Promise<ServerKey> =>
  openKeyring(tx, keySource(config));

/** Creates the same links as the service. */
export const openLinks = async (tx: Db, config: Config): Promise<Links> =>
  createLinks(await openKey(tx, config), config.publicUrl);

/** The videos and pictures of the service. */
export const openStore = ({ objectsUrl }: Config): Objects => openObjects(objectsUrl, { clock: systemClock });
