import { copyDatabase, DatabaseCopyError, withoutDeletions } from '../../db/copy.ts';
import { clusterIn } from '../../db/embedded-postgres/cluster.ts';
import { findKeyInUse } from '../../db/keyring.ts';
import { type Connection, withOneConnection } from '../../db/pools.ts';
import type { Database } from '../../db/tenancy.ts';
import { ArchiveError, ArchiveWriter, createArchive, listFiles } from '../../platform/archive.ts';
import { ServerKeyError } from '../../platform/server-key.ts';
import { BackupError, HEADER_PATH, KEY_PATH, type Manifest, newHeader } from './manifest.ts';
import { ObjectCopy, readMigrationNames } from './store.ts';

/** While deletions wait, at most about this much is left to copy. */
const SMALL_PASS_BYTES = 64 * 1024 * 1024;
const MAX_PASSES = 5;

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

/** Writes a consistent backup of a running embedded database, its objects and its key. No request waits for it. */
export async function createBackup(options: BackupOptions) {
  const { file, now, onProgress } = options;
  try {
    return await createArchive(file, async (destination) => {
      const inspected = await inspect(options);
      const archive = new ArchiveWriter(destination, { now, onProgress });
      const summary = await fill(archive, options, inspected);
      await archive.finish();
      return summary;
    });
  } catch (error) {
    if (error instanceof DatabaseCopyError) throw new BackupError(`cannot back up the database: ${error.message}`);
    throw error instanceof ArchiveError ? new BackupError(`cannot write ${file}: ${error.message}`) : error;
  }
}

/** Finds the key that the database uses, and reads which migrations were applied. */
const inspect = ({ connection, serverKeys }: BackupOptions) =>
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
  { key, migrations }: Awaited<ReturnType<typeof inspect>>,
) {
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
