import { createHash } from 'node:crypto';
import { chmodSync, chownSync, lstatSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Account } from './account.ts';
import { type Cluster, EmbeddedPostgresError } from './cluster.ts';

export const CLUSTER_USER = 'foreword';

/** Connection options for `pg`. No password, because only the owner can enter the socket's folder. */
export interface Connection {
  readonly host: string;
  readonly user: string;
  readonly database: string;
}

/** The kernel's limit is 104 bytes on macOS and 108 on Linux, including the final zero. */
const SOCKET_PATH_LIMIT = 100;
const SOCKET_NAME = '.s.PGSQL.5432';

export const connectionTo = (host: string): Connection => ({ host, user: CLUSTER_USER, database: 'postgres' });

export const socketIn = (folder: string): string => join(folder, SOCKET_NAME);

const folderInDataDir = (cluster: Cluster): string => join(cluster.root, 'run');

function shortFolder(cluster: Cluster): string {
  const hash = createHash('sha256').update(cluster.root).digest('hex').slice(0, 16);
  return join(tmpdir(), `foreword-${hash}`);
}

const fits = (folder: string): boolean => Buffer.byteLength(socketIn(folder)) <= SOCKET_PATH_LIMIT;

/** The folders that may contain the socket of this cluster. */
export const possibleSocketFolders = (cluster: Cluster): string[] =>
  [folderInDataDir(cluster), shortFolder(cluster)].filter(fits);

/** `isReachable`: the account can enter DATA_DIR. */
export function prepareSocketFolder(cluster: Cluster, account: Account, isReachable: boolean): string {
  const own = folderInDataDir(cluster);
  const folder = fits(own) && isReachable ? own : shortFolder(cluster);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  refuseForeignFolder(folder, account);
  if (account.uid !== undefined && account.gid !== undefined) chownSync(folder, account.uid, account.gid);
  chmodSync(folder, 0o700);
  return folder;
}

/** Any user can create this folder in the temporary one and then impersonate our database. */
function refuseForeignFolder(folder: string, account: Account): void {
  const { uid } = lstatSync(folder);
  const isOurs = uid === process.getuid?.() || uid === account.uid;
  if (!lstatSync(folder).isDirectory() || !isOurs) {
    throw new EmbeddedPostgresError(
      `${folder} belongs to another user and cannot contain the database socket; remove it`,
    );
  }
}
