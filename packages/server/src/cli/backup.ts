import { existsSync } from 'node:fs';
import path from 'node:path';
import { Type } from 'typebox';
import { createBackup, restoreBackup, verifyBackup } from '../backup/index.ts';
import { type Config, keySource, readConfig } from '../config.ts';
import { openSharedDatabase } from '../database.ts';
import { systemClock } from '../platform/clock.ts';
import { isTransient } from '../platform/db.ts';
import { locatePackage } from '../platform/embedded-postgres/binaries.ts';
import { clusterIn, isInitialized } from '../platform/embedded-postgres/cluster.ts';
import { readObjectsUrl } from '../platform/objects.ts';
import { readServerKeys } from '../platform/server-key.ts';
import { version } from '../platform/version.ts';
import { type Command, checkValues, choice, type Outcome } from './command.ts';
import { Failure } from './failure.ts';
import { createProgress, type Progress } from './progress.ts';

const postgresMajor = (): number => Number.parseInt(locatePackage().version, 10);

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

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

async function withProgress<Result>(label: string, work: (progress: Progress) => Promise<Result>): Promise<Result> {
  const progress = createProgress(label);
  try {
    return await work(progress);
  } finally {
    progress.end();
  }
}

/** The default name sorts by time. */
const nameFor = (now: Date): string => `foreword-${now.toISOString().slice(0, 19).replaceAll(/[:-]/g, '')}Z.tar`;

const backupInput = Type.Object({
  file: Type.Optional(Type.String({ minLength: 1, description: 'The archive to write. Default: foreword-TIME.tar.' })),
  'server-key': Type.Optional(
    choice(['true', 'false'], 'Whether the archive contains server.key. Default: true. Keep it safe in either case.'),
  ),
});

async function backUp(config: Config, file: string, withKey: boolean) {
  if (!existsSync(config.dataDir) || !isInitialized(clusterIn(config.dataDir)))
    throw new Failure(`There is no database in ${config.dataDir} (DATA_DIR).`);
  const serverKeys = readServerKeys(keySource(config));
  if (serverKeys.length === 0) {
    throw new Failure(
      `There is no server.key in ${config.dataDir} (DATA_DIR). Set the same SERVER_KEY as for the service.`,
    );
  }
  const database = await openSharedDatabase(config);
  try {
    return await withProgress('Backing up', (progress) =>
      createBackup({
        file,
        dataDir: config.dataDir,
        connection: database.connection,
        objectsRoot: objectsRootOf(config),
        serverKeys,
        includesKey: withKey,
        version: version(),
        postgresMajor: postgresMajor(),
        now: systemClock(),
        onProgress: (bytes) => progress.update(bytes),
      }),
    );
  } catch (error) {
    if (!isTransient(error)) throw error;
    throw new Failure('The database stopped during the backup. Run the command again.');
  } finally {
    await database.stop().catch(() => undefined);
  }
}

const backupCommand: Command = {
  path: ['backup'],
  summary: 'Write a backup of the embedded database, the videos and the server key, while the service runs or not.',
  operand: undefined,
  optionalOperand: 'file',
  input: backupInput,
  example: 'foreword backup /var/backups/foreword/monday.tar',
  async perform(values): Promise<Outcome> {
    checkValues(backupCommand, backupInput, values);
    const config = readConfig();
    requireEmbedded(config);
    const file = path.resolve(values.file === undefined ? nameFor(systemClock()) : String(values.file));
    const withKey = values['server-key'] !== 'false';
    const { bytes, objects } = await backUp(config, file, withKey);
    const isInS3 = objectsRootOf(config) === null;
    const json = { object: 'backup', file, bytes, objects, server_key: withKey, objects_included: !isInS3 };
    const content = isInS3 ? 'the database' : `the database and ${objects} objects`;
    const key = withKey
      ? 'It contains the server key, which opens every link: keep it secret.'
      : 'It does not contain the server key: save that elsewhere.';
    return {
      json,
      text: `Wrote ${file} (${megabytes(bytes)}) with ${content}. ${key}`,
      exitCode: 0,
      ...(isInS3 && {
        complaint: 'The objects are in S3 and not in the backup: back up the bucket, or turn on its versioning.',
      }),
    };
  },
};

const archiveInput = Type.Object({ file: Type.String({ minLength: 1, description: 'The archive.' }) });

const describeMissing = (missing: readonly string[]): string =>
  `${missing.length} objects that the database refers to are missing, such as ${missing[0]}.`;

const verifyCommand: Command = {
  path: ['backup', 'verify'],
  summary: 'Check every byte of a backup, start its database in a temporary folder (TMPDIR) and read all of it.',
  operand: 'file',
  input: archiveInput,
  example: 'foreword backup verify /var/backups/foreword/monday.tar',
  async perform(values): Promise<Outcome> {
    checkValues(verifyCommand, archiveInput, values);
    const file = path.resolve(String(values.file));
    const { manifest, counts, missing, damage } = await withProgress('Verifying', (progress) =>
      verifyBackup({ file, postgresMajor: postgresMajor(), onProgress: progress.update }),
    );
    const { header } = manifest;
    const problems = [
      ...damage.map((one) => `The database is damaged: ${one}.`),
      ...(missing.length > 0 ? [describeMissing(missing)] : []),
    ];
    const objects = manifest.files.filter(([name]) => name.startsWith('objects/')).length;
    const isSound = problems.length === 0;
    return {
      json: {
        object: 'backup',
        file,
        created_at: header.created_at,
        version: header.foreword,
        valid: isSound,
        objects,
        ...counts,
        problems,
      },
      text: isSound
        ? `${file} is complete: made at ${header.created_at}, with ${counts.intros} intros and ${objects} objects.`
        : problems.join('\n'),
      exitCode: isSound ? 0 : 1,
      ...(!isSound && { complaint: `${file} is not a sound backup` }),
    };
  },
};

const restoreCommand: Command = {
  path: ['restore'],
  summary: 'Restore a backup into an empty DATA_DIR. Nothing starts on it before everything was checked.',
  operand: 'file',
  input: archiveInput,
  example: 'foreword restore /var/backups/foreword/monday.tar',
  async perform(values): Promise<Outcome> {
    checkValues(restoreCommand, archiveInput, values);
    const config = readConfig();
    requireEmbedded(config);
    const file = path.resolve(String(values.file));
    const { manifest, counts, missing } = await withProgress('Restoring', (progress) =>
      restoreBackup({
        file,
        dataDir: config.dataDir,
        objectsRoot: objectsRootOf(config),
        givenKeys: keySource(config).given,
        postgresMajor: postgresMajor(),
        onProgress: progress.update,
      }),
    );
    const made = manifest.header.created_at;
    return {
      json: {
        object: 'restore',
        file,
        data_dir: config.dataDir,
        created_at: made,
        ...counts,
        missing_objects: missing,
      },
      text: `Restored ${config.dataDir} as of ${made}, with ${counts.intros} intros. Start the service with foreword start.`,
      exitCode: 0,
      ...(missing.length > 0 && { complaint: describeMissing(missing) }),
    };
  },
};

/** The more specific one first. */
export const backupCommands = [verifyCommand, backupCommand, restoreCommand];
