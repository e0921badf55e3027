/** Backs up and restores the embedded database with its objects. */

import { existsSync } from 'node:fs';
import path from 'node:path';
import { Type } from '@foreword/contract';
import { type Config, keySource, readConfig } from '../../app/config/index.ts';
import { withSharedDatabase } from '../../app/database.ts';
import { locatePackage } from '../../db/embedded-postgres/binaries.ts';
import { clusterIn, isInitialized } from '../../db/embedded-postgres/cluster.ts';
import { isTransient } from '../../db/pools.ts';
import { systemClock } from '../../platform/clock.ts';
import { readObjectsUrl } from '../../platform/objects/index.ts';
import { version } from '../../platform/process.ts';
import { readServerKeys } from '../../platform/server-key.ts';
import { defineCommand, Option, TrueOrFalse } from '../command.ts';
import { Failure, megabytes, withProgress } from '../terminal.ts';
import { createBackup } from './create.ts';
import { restoreBackup, verifyBackup } from './restore.ts';

const postgresMajor = (): number => Number.parseInt(locatePackage().version, 10);

function requireEmbedded(config: Config): void {
  if (config.databaseUrl === undefined) return;
  throw new Failure(
    'DATABASE_URL is set, and this command is for the embedded database. Back up yours with its own tools (pg_dump), and save the objects (OBJECTS_URL) and the server key (SERVER_KEY, or server.key in DATA_DIR) as well.',
  );
}

function objectsRootOf({ objectsUrl }: Config): string | null {
  const address = readObjectsUrl(objectsUrl);
  return address.kind === 'folder' ? address.root : null;
}

/** The default name sorts by time. */
const nameFor = (now: Date): string => `foreword-${now.toISOString().slice(0, 19).replaceAll(/[:-]/g, '')}Z.tar`;

async function backUp(config: Config, file: string, withKey: boolean) {
  if (!existsSync(config.dataDir) || !isInitialized(clusterIn(config.dataDir)))
    throw new Failure(`There is no database in ${config.dataDir} (DATA_DIR).`);
  const serverKeys = readServerKeys(keySource(config));
  if (serverKeys.length === 0) {
    throw new Failure(
      `There is no server.key in ${config.dataDir} (DATA_DIR). Set the same SERVER_KEY as for the service.`,
    );
  }
  const options = {
    file,
    dataDir: config.dataDir,
    objectsRoot: objectsRootOf(config),
    serverKeys,
    includesKey: withKey,
    version: version(),
    postgresMajor: postgresMajor(),
    now: systemClock(),
  };
  return withSharedDatabase(config, ({ connection }) =>
    withProgress('Backing up', (onProgress) => createBackup({ ...options, connection, onProgress })).catch((error) => {
      throw isTransient(error) ? new Failure('The database stopped during the backup. Run the command again.') : error;
    }),
  );
}

const Archive = { file: Type.String({ minLength: 1, description: 'The archive.' }) };

const describeMissing = (missing: readonly string[]): string =>
  `${missing.length} objects that the database refers to are missing, such as ${missing[0]}.`;

/** The more specific one first. */
export const backupCommands = [
  defineCommand(
    {
      name: 'backup verify',
      operands: ['FILE'],
      summary: 'Check every byte of a backup, start its database in a temporary folder (TMPDIR) and read all of it.',
      input: Archive,
      example: '/var/backups/foreword/monday.tar',
    },
    async (given) => {
      const file = path.resolve(given.file);
      const { manifest, counts, missing, damage } = await withProgress('Verifying', (onProgress) =>
        verifyBackup({ file, postgresMajor: postgresMajor(), onProgress }),
      );
      const { created_at, foreword } = manifest.header;
      const problems = [
        ...damage.map((one) => `The database is damaged: ${one}.`),
        ...(missing.length > 0 ? [describeMissing(missing)] : []),
      ];
      const objects = manifest.files.filter(([name]) => name.startsWith('objects/')).length;
      const isSound = problems.length === 0;
      return {
        json: {
          ...{ object: 'backup', file, created_at, version: foreword, valid: isSound, objects },
          ...counts,
          problems,
        },
        text: isSound
          ? `${file} is complete: made at ${created_at}, with ${counts.intros} intros and ${objects} objects.`
          : problems.join('\n'),
        ...(!isSound && { exitCode: 1, complaint: `${file} is not a sound backup` }),
      };
    },
  ),
  defineCommand(
    {
      name: 'backup',
      operands: ['FILE'],
      summary: 'Write a backup of the embedded database, the videos and the server key, while the service runs or not.',
      input: {
        file: Option('The archive to write. Default: foreword-TIME.tar.', { minLength: 1 }),
        server_key: TrueOrFalse('Whether the archive contains server.key. Default: true. Keep it safe in either case.'),
      },
      example: '/var/backups/foreword/monday.tar',
    },
    async ({ file: given = nameFor(systemClock()), server_key: withKey = true }) => {
      const config = readConfig();
      requireEmbedded(config);
      const file = path.resolve(given);
      const { bytes, objects } = await backUp(config, file, withKey);
      const isInS3 = objectsRootOf(config) === null;
      const content = isInS3 ? 'the database' : `the database and ${objects} objects`;
      const key = withKey
        ? 'It contains the server key, which opens every link: keep it secret.'
        : 'It does not contain the server key: save that elsewhere.';
      return {
        json: { object: 'backup', file, bytes, objects, server_key: withKey, objects_included: !isInS3 },
        text: `Wrote ${file} (${megabytes(bytes)}) with ${content}. ${key}`,
        ...(isInS3 && {
          complaint: 'The objects are in S3 and not in the backup: back up the bucket, or turn on its versioning.',
        }),
      };
    },
  ),
  defineCommand(
    {
      name: 'restore',
      operands: ['FILE'],
      summary: 'Restore a backup into an empty DATA_DIR. Nothing starts on it before everything was checked.',
      input: Archive,
      example: '/var/backups/foreword/monday.tar',
    },
    async (given) => {
      const config = readConfig();
      requireEmbedded(config);
      const { dataDir } = config;
      const file = path.resolve(given.file);
      const { manifest, counts, missing } = await withProgress('Restoring', (onProgress) =>
        restoreBackup({
          file,
          dataDir,
          objectsRoot: objectsRootOf(config),
          givenKeys: keySource(config).given,
          postgresMajor: postgresMajor(),
          onProgress,
        }),
      );
      const { created_at } = manifest.header;
      return {
        json: { object: 'restore', file, data_dir: dataDir, created_at, ...counts, missing_objects: missing },
        text: `Restored ${dataDir} as of ${created_at}, with ${counts.intros} intros. Start the service with foreword start.`,
        ...(missing.length > 0 && { complaint: describeMissing(missing) }),
      };
    },
  ),
];
