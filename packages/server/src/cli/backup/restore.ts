import { rm } from 'node:fs/promises';
import path from 'node:path';
import { CLUSTER_FOLDER, chooseAccount, clusterIn } from '../../db/embedded-postgres/cluster.ts';
import { tryInstanceLock, withStartLock } from '../../db/embedded-postgres/locks.ts';
import { makeDataDir } from '../../platform/data-dir.ts';
import { fingerprintOf, readServerKeys } from '../../platform/server-key.ts';
import { giveTo, type Inspection, inspectDatabase, type Owner } from './inspect.ts';
import { BackupError, type Header, KEY_PATH, type Manifest, OBJECTS_FOLDER } from './manifest.ts';
import { complete, prepareTarget, removeUnfinished, type Target } from './target.ts';
import { placeOf, readHeaderOf, unpack } from './unpack.ts';

const LOCK_WAIT_MS = 1_000;

export interface RestoreOptions {
  readonly file: string;
  readonly dataDir: string;
  /** Null: OBJECTS_URL is in S3. */
  readonly objectsRoot: string | null;
  /** Those of SERVER_KEY. */
  readonly givenKeys: readonly Buffer[];
  readonly postgresMajor: number;
  readonly onProgress: (bytes: number, total: number) => void;
}

export interface RestoreSummary extends Pick<Inspection, 'counts' | 'missing'> {
  readonly manifest: Manifest;
}

/** Restores a backup into empty folders. Until everything was checked, no service starts on them. */
export async function restoreBackup(options: RestoreOptions): Promise<RestoreSummary> {
  const { file, postgresMajor } = options;
  // Reads only the beginning, so that nothing is created for a file that cannot be restored here.
  const header = await readHeaderOf(file, postgresMajor);
  if (header.includes_objects && options.objectsRoot === null) {
    throw new BackupError(
      `${file} contains objects, but OBJECTS_URL is in S3. Restore without OBJECTS_URL, and copy DATA_DIR/objects into the bucket`,
    );
  }
  const dataDir = path.resolve(options.dataDir);
  makeDataDir(dataDir, { mayBeUnfinished: true });
  const cluster = clusterIn(dataDir);
  return withStartLock(cluster, Date.now() + LOCK_WAIT_MS, async () => {
    const lock = tryInstanceLock(cluster);
    if (lock === null) throw new BackupError(`${dataDir} (DATA_DIR) is in use by a running service`);
    const target = await prepareTarget(cluster.root, options.objectsRoot ?? path.join(cluster.root, 'objects'));
    try {
      return await fill(target, header, options);
    } catch (error) {
      await removeUnfinished(target);
      throw error;
    } finally {
      lock.release();
    }
  });
}

async function fill(target: Target, header: Header, options: RestoreOptions): Promise<RestoreSummary> {
  const { dataDir, staging, stagedObjects, owner } = target;
  const knownKeys = readServerKeys({ dataDir, given: options.givenKeys });
  if (knownKeys.length === 0 && !header.includes_server_key) {
    throw new BackupError(
      'the backup does not contain the server key: set SERVER_KEY, or put server.key into DATA_DIR',
    );
  }
  const { manifest, superseded } = await unpack({
    ...options,
    locate: (entry) =>
      placeOf(entry, { database: path.join(staging, CLUSTER_FOLDER), objects: stagedObjects, staging }),
  });
  for (const name of superseded) await rm(path.join(stagedObjects, name.slice(OBJECTS_FOLDER.length + 1)));
  requireKey(knownKeys.length > 0 ? knownKeys : readServerKeys({ dataDir: staging, given: [] }), manifest);
  if (knownKeys.length > 0) await rm(path.join(staging, KEY_PATH), { force: true });
  await giveTo(databaseOwner(target), path.join(staging, CLUSTER_FOLDER));
  await giveTo(owner, stagedObjects);
  const { counts, missing } = await inspectDatabase(staging, manifest, { readsEverything: false });
  await complete(target);
  return { manifest, counts, missing };
}

/** PostgreSQL refuses to run as root. */
function databaseOwner({ dataDir, owner }: Target): Owner | null {
  if (owner === null || owner.uid !== 0) return owner;
  const { uid, gid } = chooseAccount(clusterIn(dataDir));
  return uid === undefined || gid === undefined ? null : { uid, gid };
}

/** Links and sealed secrets of the backup work only with its own key. */
export function requireKey(keys: readonly Buffer[], manifest: Manifest): void {
  const expected = manifest.server_key_fingerprint;
  if (keys.some((key) => fingerprintOf(key) === expected)) return;
  throw new BackupError(
    'the server key (SERVER_KEY, or server.key in DATA_DIR) is not the one that the backup was made with',
  );
}
