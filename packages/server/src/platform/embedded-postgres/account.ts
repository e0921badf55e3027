import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, readFileSync, statSync } from 'node:fs';
import { type Cluster, EmbeddedPostgresError } from './cluster.ts';

/** The user that PostgreSQL runs as. Empty: the user of this process. */
export interface Account {
  readonly uid?: number;
  readonly gid?: number;
}

/** A fixed environment, because variables like PGDATA and PGPORT in the operator's shell must not affect our cluster. */
export const CHILD_ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
};

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
  const owner = statSync(cluster.folder, { throwIfNoEntry: false });
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  return nobodyAccount();
}

function nobodyAccount(): Account {
  for (const line of readFileSync('/etc/passwd', 'utf8').split('\n')) {
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
  const { uid, mode } = statSync(folder);
  const isForRootAlone = uid === 0 && (mode & 0o077) === 0;
  if (!isForRootAlone) return false;
  chownSync(folder, 0, account.gid);
  chmodSync(folder, 0o710);
  return canReach(account, folder);
}

/**
 * The path under which a child that starts in `folder` can use it. Below a private folder of root (usually /root) the account
 * cannot resolve the path, but root can start the child in it before dropping privileges.
 */
export function folderAsSeenBy(account: Account, folder: string): string {
  return canReach(account, folder) ? folder : '/proc/self/cwd';
}
