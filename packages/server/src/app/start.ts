/** Folder: settings, wiring, start and stop. */

import os from 'node:os';
import { releaseReserve } from '../db/embedded-postgres/index.ts';
import { findFreePort, makeDataDir } from '../platform/data-dir.ts';
import { createLogger } from '../platform/log.ts';
import { ConfigError, EXIT_BAD_CONFIGURATION, exitWith } from '../platform/process.ts';
import { readServerKeys } from '../platform/server-key.ts';
import { type Config, keySource, readConfig } from './config/index.ts';
import { findIneffective } from './config/variables.ts';
import { DatabaseError, openOwnDatabase } from './database.ts';
import type { ServeOptions } from './serve.ts';

function loadConfig(): Config {
  try {
    return readConfig();
  } catch (error) {
    if (error instanceof ConfigError) exitWith(error.message, EXIT_BAD_CONFIGURATION);
    throw error;
  }
}

/** One line that names the setting, and the exit code: 78 if the setting is wrong, 1 if the failure may be temporary. */
function explain(error: unknown, config: Config): [line: string, code: number] {
  const message = error instanceof Error ? error.message : String(error);
  const { code, syscall, port, hostname } = error as NodeJS.ErrnoException & { port?: number; hostname?: string };
  if (error instanceof ConfigError) return [message, EXIT_BAD_CONFIGURATION];
  if (syscall === 'listen' || hostname === config.host) {
    const name = port !== undefined && port === config.metricsPort ? 'METRICS_PORT' : 'PORT';
    const advice = code === 'EADDRINUSE' ? `; set ${name} to a free port` : '';
    return [`cannot listen on HOST ${config.host}, ${name} ${port ?? config.port}: ${code}${advice}`, 1];
  }
  if (error instanceof DatabaseError) return [message, error.isPermanent ? EXIT_BAD_CONFIGURATION : 1];
  return [message, 1];
}

/** Resolves PORT=0 before anything uses the address, because links start with it. */
async function choosePort(config: Config): Promise<Config> {
  if (config.port !== 0) return config;
  try {
    return readConfig(undefined, await findFreePort(config.host));
  } catch (error) {
    return exitWith(...explain(error, config));
  }
}

/** Takes and pictures would otherwise fail one by one. */
async function requireEncoder({ ffmpegPath, roles }: Config): Promise<void> {
  if (ffmpegPath === undefined || !(roles.has('media') || roles.has('api'))) return;
  const { checkFfmpegPath } = await import('../recordings/index.ts');
  await checkFfmpegPath(ffmpegPath, os.tmpdir()).catch((error: Error) => {
    throw new ConfigError(`FFMPEG_PATH must be an ffmpeg that runs: ${error.message}`);
  });
}

/** Only tests set them. */
export type StartOptions = Omit<ServeOptions, 'config' | 'database' | 'log'>;

async function start(config: Config, options: StartOptions): Promise<void> {
  await requireEncoder(config);
  const log = createLogger(config.logLevel);
  for (const line of findIneffective()) log.warn(line);
  // Before the database starts, so that a key that cannot be read or written stops the start early.
  if (readServerKeys(keySource(config)).length === 0) makeDataDir(config.dataDir);
  // The rest of the code is loaded while the database starts in processes of its own.
  const loadCode = () => import('./serve.ts');
  if (config.databaseUrl === undefined) releaseReserve(config.dataDir);
  const database = await openOwnDatabase(config, { onSpawn: () => void loadCode() });
  const { serve } = await loadCode();
  await serve({ ...options, config, database, log });
}

/** Starts the service, which runs until a signal or a failure ends the process. */
export async function runService(options: StartOptions = {}): Promise<void> {
  const config = await choosePort(loadConfig());
  await start(config, options).catch((error: unknown) => exitWith(...explain(error, config)));
}
