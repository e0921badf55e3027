import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasUnfinishedRestore } from '../../platform/data-dir.ts';
import { CHILD_ENVIRONMENT } from '../../platform/process.ts';

/** The embedded database cannot be used. The message is one line that an operator can act on. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
}

/** Contains the major version, because another one cannot read these files. */
export const CLUSTER_FOLDER = 'pg18';

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
  const root = fs.realpathSync(dataDir);
  const folder = join(root, CLUSTER_FOLDER);
  const name = `foreword-${createHash('sha256').update(folder).digest('hex').slice(0, 12)}`;
  return { root, folder, name };
}

/** Whether there is a database, or a backup that is being restored. Creates nothing. */
export const hasData = (dataDir: string): boolean =>
  hasUnfinishedRestore(dataDir) || (fs.existsSync(dataDir) && isInitialized(clusterIn(dataDir)));

export const isInitialized = (cluster: Cluster): boolean => fs.existsSync(join(cluster.folder, 'PG_VERSION'));

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
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  refuseForeignFolder(folder, account);
  if (account.uid !== undefined && account.gid !== undefined) fs.chownSync(folder, account.uid, account.gid);
  fs.chmodSync(folder, 0o700);
  return folder;
}

/** Any user can create this folder in the temporary one and then impersonate our database. */
function refuseForeignFolder(folder: string, account: Account): void {
  const { uid } = fs.lstatSync(folder);
  const isOurs = uid === process.getuid?.() || uid === account.uid;
  if (!fs.lstatSync(folder).isDirectory() || !isOurs) {
    throw new EmbeddedPostgresError(
      `${folder} belongs to another user and cannot contain the database socket; remove it`,
    );
  }
}

/** The user that PostgreSQL runs as. Empty: the user of this process. */
export interface Account {
  readonly uid?: number;
  readonly gid?: number;
}

/** Gives a file, or a folder and everything in it, to a user. */
export function giveTo({ uid, gid }: Account, target: string): void {
  if (uid === undefined || gid === undefined) return;
  fs.lchownSync(target, uid, gid);
  if (!fs.lstatSync(target).isDirectory()) return;
  for (const entry of fs.readdirSync(target, { recursive: true, encoding: 'utf8' }))
    fs.lchownSync(join(target, entry), uid, gid);
}

/**
 * PostgreSQL refuses to run as root. We run it as the owner of the existing cluster, so that starting once with sudo does not
 * lock that user out. For a new cluster we use the account `nobody`, because initdb requires a user from /etc/passwd.
 */
export function chooseAccount(cluster: Cluster): Account {
  if (process.getuid?.() !== 0) return {};
  if (process.platform !== 'linux') {
    throw new EmbeddedPostgresError(
      'the embedded database cannot run as root on this system; use another user or set DATABASE_URL',
    );
  }
  const owner = fs.statSync(cluster.folder, { throwIfNoEntry: false });
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  return nobodyAccount();
}

function nobodyAccount(): Account {
  for (const line of fs.readFileSync('/etc/passwd', 'utf8').split('\n')) {
    const [user, , uid, gid] = line.split(':');
    if (user === 'nobody') return { uid: Number(uid), gid: Number(gid) };
  }
  throw new EmbeddedPostgresError(
    'started as root, but there is no user "nobody" to run the database; use another user or set DATABASE_URL',
  );
}

/** True when the account can enter the folder. Tries it, because only the kernel knows about access lists and mounts. */
function canReach(account: Account, folder: string): boolean {
  if (account.uid === undefined) return true;
  const attempt = spawnSync('/bin/sh', ['-c', 'cd "$0"', folder], {
    ...account,
    cwd: '/',
    env: CHILD_ENVIRONMENT,
    stdio: 'ignore',
  });
  return attempt.status === 0;
}

/**
 * Lets the account's group traverse a DATA_DIR that is private to root, without letting it list the content. Returns whether the
 * account can enter it.
 */
export function letThrough(account: Account, folder: string): boolean {
  if (account.gid === undefined || canReach(account, folder)) return true;
  const { uid, mode } = fs.statSync(folder);
  const isForRootAlone = uid === 0 && (mode & 0o077) === 0;
  if (!isForRootAlone) return false;
  fs.chownSync(folder, 0, account.gid);
  fs.chmodSync(folder, 0o710);
  return canReach(account, folder);
}

/**
 * The folder that a child starts in, for an account that cannot enter DATA_DIR. Below a private folder of root (usually /root),
 * it cannot resolve the path, but root can start the child in the folder before dropping privileges.
 */
export const WORKING_FOLDER = '/proc/self/cwd';
