import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import pino from 'pino';
import type { Config } from '../../app/config/index.ts';
import { locatePackage } from '../../db/embedded-postgres/binaries.ts';
import { reasonOf } from '../../db/requirements.ts';
import { monotonicMs } from '../../platform/clock.ts';
import { checkObjects, folderOfObjects, type SpaceState, watchSpace } from '../../platform/objects/index.ts';
import { openWorkFolders } from '../../platform/work-folders.ts';
import { createEncoder, type Encoder } from '../../recordings/index.ts';
import { openStore } from '../connection.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const OLDEST_NODE_MAJOR = 26;
/**
 * 18.7 of November 2026. Update it after each minor release (planned for February, May, August and November, listed at
 * https://www.postgresql.org/support/versioning/), together with the @embedded-postgres packages once they offer it.
 */
const NEWEST_POSTGRES_MINOR = 7;
/** Below this, the database may be unable to write its next 16 MB log file and a checkpoint. */
const TOO_LITTLE_DISK_BYTES = 100 * 1024 ** 2;
/** The database keeps up to 1 GB of write-ahead log under load. */
const LITTLE_DISK_BYTES = 1024 ** 3;

export function checkNode(version: string): Finding {
  if (Number(version.split('.')[0]) >= OLDEST_NODE_MAJOR) return ok('node', `Node ${version}.`);
  return problem('node', `Node ${version} is too old.`, `Run npm ci, or install Node ${OLDEST_NODE_MAJOR}.`);
}

/** True when the version has an older minor release of PostgreSQL 18 than the newest known one. */
export const isOutdated = (packageVersion: string): boolean =>
  Number(packageVersion.split('.')[1]) < NEWEST_POSTGRES_MINOR;

export function checkDatabasePackage(config: Config): Finding {
  const name = 'embedded database';
  if (config.databaseUrl !== undefined) return ok(name, 'Not needed: DATABASE_URL is set.');
  try {
    const { version } = locatePackage();
    const message = `PostgreSQL package ${version} for ${process.platform}-${process.arch}, for evaluation and small installations.`;
    if (!isOutdated(version)) return ok(name, message);
    return warning(
      name,
      `${message} It is older than PostgreSQL 18.${NEWEST_POSTGRES_MINOR} and lacks its security fixes.`,
      'Update Foreword when it has a newer package, or set DATABASE_URL to a PostgreSQL that your system keeps up to date.',
    );
  } catch (error) {
    return problem(name, `${reasonOf(error)}.`, 'Install Foreword without --omit=optional, or set DATABASE_URL.');
  }
}

/** The folder, or its closest existing parent. */
function existingFolder(folder: string): string {
  let at = folder;
  while (!fs.existsSync(at) && path.dirname(at) !== at) at = path.dirname(at);
  return at;
}

export function checkFolder({ dataDir }: Config): Finding {
  const name = 'data folder';
  const at = existingFolder(dataDir);
  if (!fs.statSync(at).isDirectory()) {
    return problem(name, `${at} is not a folder, so DATA_DIR cannot be ${dataDir}.`, 'Set DATA_DIR to a folder.');
  }
  try {
    fs.accessSync(at, fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK);
  } catch {
    return problem(name, `This user cannot write to ${at}.`, 'Change its owner, or set DATA_DIR to another folder.');
  }
  return ok(name, at === dataDir ? `${dataDir} is writable.` : `The first start creates ${dataDir}.`);
}

export function checkDisk({ dataDir }: Config): Finding {
  const name = 'disk space';
  const { bavail, bsize } = fs.statfsSync(existingFolder(dataDir));
  const free = bavail * bsize;
  const message = `${(free / 1024 ** 3).toFixed(1)} GB free for the data folder.`;
  if (free < TOO_LITTLE_DISK_BYTES)
    return problem(name, message, 'Free up disk space now. Writes fail when the disk is full.');
  if (free < LITTLE_DISK_BYTES) return warning(name, message, 'Free up disk space soon.');
  return ok(name, message);
}

const log = pino({ level: 'silent' });

export async function checkVideos(config: Config): Promise<Finding> {
  const name = 'videos';
  const { protocol } = new URL(config.objectsUrl);
  if (protocol === 'file:' && !fs.existsSync(fileURLToPath(config.objectsUrl))) {
    return ok(name, 'The first start creates their folder.');
  }
  try {
    const objects = openStore(config);
    await checkObjects(objects);
    const folder = folderOfObjects(config.objectsUrl);
    const { space } = watchSpace(objects, folder, monotonicMs);
    return describeSpace(name, await space.state(), await space.freeBytes());
  } catch (error) {
    return problem(name, `${reasonOf(error)}.`, 'Fix OBJECTS_URL or the permissions of its user.');
  }
}

function describeSpace(name: string, state: SpaceState, freeBytes: number | null): Finding {
  const free = freeBytes === null ? '' : ` and has ${(freeBytes / 1024 ** 3).toFixed(1)} GB free`;
  const message = `The store at OBJECTS_URL is readable and writable${free}.`;
  if (state === 'ok') return ok(name, message);
  if (state === 'low') return warning(name, message, 'Make space soon: below a reserve, new takes are refused.');
  return problem(name, message, 'Make space now: new takes are refused.');
}

export async function checkMedia(config: Config): Promise<Finding[]> {
  const { roles, ffmpegPath, isolateMedia: isolate } = config;
  // The API draws logos and photos with it.
  if (!roles.has('media') && !roles.has('api'))
    return [ok('video encoder', 'Not needed: FOREWORD_ROLE includes neither media nor api here.')];
  // Not in DATA_DIR, because this command changes nothing.
  const workFolders = openWorkFolders({ ...config, workDir: os.tmpdir() });
  const encoder = createEncoder({ ffmpegPath, log, workFolders, isolate });
  return [await checkEncoder(encoder), await checkIsolation(encoder)];
}

async function checkEncoder(encoder: Encoder): Promise<Finding> {
  const name = 'video encoder';
  try {
    return ok(name, `${await encoder.describe()}.`);
  } catch (error) {
    return problem(
      name,
      `${reasonOf(error)}.`,
      'Install ffmpeg, set FFMPEG_PATH, or install Foreword without --omit=optional.',
    );
  }
}

async function checkIsolation(encoder: Encoder): Promise<Finding> {
  const name = 'video isolation';
  const { description, isComplete } = await encoder.isolation();
  const message = `Processes that open takes and pictures reach ${description}.`;
  if (isComplete) return ok(name, message);
  return warning(name, message, 'See "Isolation" in docs/self-hosting/videos.md for what this machine lacks.');
}
