import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** The embedded database cannot be used. The message is one line that an operator can act on. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
}

/** The folder cannot be used: wrong configuration rather than a busy or broken database. */
export class DataDirError extends EmbeddedPostgresError {}

/** Contains the major version, because another one cannot read these files. */
export const CLUSTER_FOLDER = 'pg18';
/** Exists in DATA_DIR while a backup is restored into it. */
export const UNFINISHED_RESTORE = 'restoring';

export interface Cluster {
  /** DATA_DIR, absolute and free of symbolic links. */
  readonly root: string;
  /** The folder that PostgreSQL calls its data directory. */
  readonly folder: string;
  /** cluster_name appears in the command line of every process of the cluster, which identifies them. */
  readonly name: string;
}

/** The cluster of an existing DATA_DIR; different paths to one folder give the same cluster. */
export function clusterIn(dataDir: string): Cluster {
  const root = realpathSync(dataDir);
  const folder = join(root, CLUSTER_FOLDER);
  const name = `foreword-${createHash('sha256').update(folder).digest('hex').slice(0, 12)}`;
  return { root, folder, name };
}

/** Not `recursive`, because Node then never returns below /proc. Only the last folder is private; its parents follow the umask. */
function makeFolders(folder: string, mode?: number): void {
  if (existsSync(folder) && statSync(folder).isDirectory()) return;
  if (dirname(folder) !== folder) makeFolders(dirname(folder));
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // Another process may have created it in the meantime.
    if (!existsSync(folder) || !statSync(folder).isDirectory()) throw error;
  }
}

/** Also refuses a folder with only a part of a backup. */
export function makeDataDir(dataDir: string, { mayBeUnfinished = false } = {}): void {
  if (!mayBeUnfinished && existsSync(join(dataDir, UNFINISHED_RESTORE))) {
    throw new DataDirError(
      `a backup is being restored into ${dataDir} (DATA_DIR), or that was interrupted. Wait, or run foreword restore again`,
    );
  }
  try {
    makeFolders(resolve(dataDir), 0o700);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new DataDirError(`cannot create ${dataDir} (DATA_DIR): ${reason}`, { cause: error });
  }
}

/** Whether there is a database, or a backup that is being restored. Creates nothing. */
export const hasData = (dataDir: string): boolean =>
  existsSync(join(dataDir, UNFINISHED_RESTORE)) || (existsSync(dataDir) && isInitialized(clusterIn(dataDir)));

export const isInitialized = (cluster: Cluster): boolean => existsSync(join(cluster.folder, 'PG_VERSION'));
