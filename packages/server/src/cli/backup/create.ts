import { createWriteStream, existsSync } from 'node:fs';
import { readdir, stat, unlink } from 'node:fs/promises';
import path from 'node:path';
import { copyDatabase, DatabaseCopyError, withoutDeletions } from '../../db/copy.ts';
import { clusterIn } from '../../db/embedded-postgres/cluster.ts';
import { findKeyInUse } from '../../db/keyring.ts';
import { type Connection, withOneConnection } from '../../db/pools.ts';
import type { Database } from '../../db/tenancy.ts';
import { ArchiveError, ArchiveWriter, listFiles, publishFile } from '../../platform/archive.ts';
import { ownerState, processTag } from '../../platform/process.ts';
import { type Root, ServerKeyError } from '../../platform/server-key.ts';
import { BackupError, HEADER_PATH, KEY_PATH, type Manifest, newHeader } from './manifest.ts';
import { ObjectCopy, readMigrationNames } from './store.ts';

/** While deletions wait, at most about this much is left to copy. */
const SMALL_PASS_BYTES = 64 * 1024 * 1024;
const MAX_PASSES = 5;
const PARTIAL = '.partial-';

interface BackupOptions {
  readonly file: string;
  readonly dataDir: string;
  readonly connection: Connection;
  /** Null: the objects are in S3, and not in the backup. */
  readonly objectsRoot: string | null;
  /** One of them is in use. */
  readonly serverKeys: readonly Buffer[];
  readonly includesKey: boolean;
  /** Foreword's version. */
  readonly version: string;
  readonly postgresMajor: number;
  readonly now: Date;
  readonly onProgress: (bytes: number) => void;
}

interface BackupSummary {
  readonly bytes: number;
  readonly objects: number;
}

/**
 * Writes a consistent backup of a running embedded database, its objects and its key. No request waits for it. The file has its
 * name only when it is complete: before that, and after a crash, it is `NAME.partial-…`. Only its owner can read it.
 */
export async function createBackup(options: BackupOptions): Promise<BackupSummary> {
  const { file, now, onProgress } = options;
  refuseFile(file);
  const inspected = await inspect(options);
  await removeLeftovers(path.dirname(file));
  const partial = `${file}${PARTIAL}${processTag}`;
  const destination = createWriteStream(partial, { flags: 'wx', mode: 0o600, flush: true });
  const archive = new ArchiveWriter(destination, { now, onProgress });
  const discard = async () => {
    destination.destroy();
    await unlink(partial).catch(() => undefined);
  };
  const stop = () => void discard().finally(() => process.exit(1));
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    const summary = await fill(archive, options, inspected);
    await archive.finish();
    await publishFile(partial, file);
    return { ...summary, bytes: (await stat(file)).size };
  } catch (error) {
    await discard();
    if (error instanceof DatabaseCopyError) throw new BackupError(`cannot back up the database: ${error.message}`);
    throw error instanceof ArchiveError ? new BackupError(`cannot write ${file}: ${error.message}`) : error;
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}

/** Deletes the unfinished backups of killed processes. */
async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const at = name.lastIndexOf(PARTIAL);
    if (at < 0 || ownerState(name.slice(at + PARTIAL.length)) !== 'gone') continue;
    await unlink(path.join(folder, name)).catch(() => undefined);
  }
}

function refuseFile(file: string): void {
  if (existsSync(file)) throw new BackupError(`${file} already exists; choose another name`);
  const folder = path.dirname(file);
  if (!existsSync(folder)) throw new BackupError(`the folder ${folder} does not exist`);
}

interface Inspected {
  readonly key: Root;
  readonly migrations: string[];
}

/** Finds the key that the database uses, and reads which migrations were applied. */
const inspect = ({ connection, serverKeys }: BackupOptions): Promise<Inspected> =>
  withOneConnection(connection, 'foreword backup', async ({ kysely }: Database) => {
    const key = await findKeyInUse(kysely, serverKeys).catch((error: unknown) => {
      if (!(error instanceof ServerKeyError)) throw error;
      throw new BackupError('the server key is not that of this database; set the same SERVER_KEY as for the service');
    });
    if (key === null) throw new BackupError('the database was not set up completely; start the service once');
    return { key, migrations: await readMigrationNames(kysely) };
  });

async function fill(
  archive: ArchiveWriter,
  options: BackupOptions,
  { key, migrations }: Inspected,
): Promise<Omit<BackupSummary, 'bytes'>> {
  const { connection, dataDir, objectsRoot, includesKey, version, postgresMajor, now } = options;
  const header = newHeader({
    foreword: version,
    created_at: now.toISOString(),
    postgres_major: postgresMajor,
    includes_objects: objectsRoot !== null,
    includes_server_key: includesKey,
  });
  const files = [await archive.addBuffer(HEADER_PATH, Buffer.from(`${JSON.stringify(header, null, 1)}\n`))];
  if (includesKey) files.push(await archive.addBuffer(KEY_PATH, Buffer.from(`${key.secret.toString('hex')}\n`)));
  const objects = objectsRoot === null ? null : new ObjectCopy(objectsRoot, archive);
  // Before the database, so that less WAL accumulates.
  await objects?.pass();
  const database = await copyDatabase({
    connection,
    folder: clusterIn(dataDir).folder,
    archive,
    aroundEnd: async (client, end) => {
      for (let passes = 1; passes < MAX_PASSES && ((await objects?.pass()) ?? 0) > SMALL_PASS_BYTES; passes++);
      // Each object that a row of that moment refers to existed then, and still exists in the last pass.
      await withoutDeletions(client, async () => {
        await end();
        await objects?.pass();
      });
    },
  });
  files.push(...database.files, ...(objects?.files ?? []));
  await archive.addManifest({
    header,
    postgres_version: database.version,
    system_identifier: database.systemIdentifier,
    ends_at: database.endsAt,
    migrations,
    server_key_fingerprint: key.fingerprint.toString('hex'),
    files: listFiles(files),
  } satisfies Manifest);
  return { objects: objects?.files.length ?? 0 };
}
