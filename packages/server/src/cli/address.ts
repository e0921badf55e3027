import { type Config, readConfig } from '../config.ts';
import { describeDatabase } from '../database.ts';
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
