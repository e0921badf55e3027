import { findDamage } from '../../db/copy.ts';
import { startEmbeddedPostgres } from '../../db/embedded-postgres/index.ts';
import { isUpToDate } from '../../db/migrate.ts';
import { withOneConnection } from '../../db/pools.ts';
import { connectAlone, RequirementError } from '../../db/requirements.ts';
import type { Database } from '../../db/tenancy.ts';
import { BackupError, type Manifest, OBJECTS_FOLDER } from './manifest.ts';
import { type Counts, countRows, findMissingObjects, readMigrationNames } from './store.ts';

const NAME = 'foreword restore';

export interface Inspection {
  readonly counts: Counts;
  /** Keys of objects that rows refer to and the backup does not contain. */
  readonly missing: readonly string[];
  /** Empty unless every page was read. */
  readonly damage: readonly string[];
}

/** Starts the unpacked database, which completes it from its WAL, and compares it with the manifest. */
export async function inspectDatabase(
  dataDir: string,
  manifest: Manifest,
  options: { readsEverything: boolean },
): Promise<Inspection> {
  const server = await startEmbeddedPostgres({ dataDir });
  const { connection } = server;
  const inspect = async (db: Database): Promise<Inspection> => {
    await checkMigrations(db, manifest);
    const missing = manifest.header.includes_objects
      ? await findMissingObjects(db.kysely, new Date(manifest.header.created_at), keysIn(manifest))
      : [];
    const counts = await countRows(db.kysely);
    const client = await connectAlone(connection, NAME);
    const damage = options.readsEverything ? await findDamage(client) : [];
    await client.end();
    return { counts, missing, damage };
  };
  return withOneConnection(connection, NAME, inspect).finally(() => server.stop());
}

async function checkMigrations({ kysely, pool }: Database, { migrations }: Manifest): Promise<void> {
  if ((await readMigrationNames(kysely)).join() !== migrations.join())
    throw new BackupError('the database in it does not match its list of files');
  // A start applies what is missing.
  await isUpToDate(pool).catch((error) => {
    throw error instanceof RequirementError ? new BackupError(error.message) : error;
  });
}

const keysIn = ({ files }: Manifest): Set<string> =>
  new Set(
    files.flatMap(([name]) => (name.startsWith(`${OBJECTS_FOLDER}/`) ? [name.slice(OBJECTS_FOLDER.length + 1)] : [])),
  );
