import { readFileSync, statSync } from 'node:fs';
import type { Cluster } from './cluster.ts';
import { EmbeddedPostgresError } from './error.ts';

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
 * PostgreSQL refuses to run as root. Root runs it as the owner of the existing cluster (so that one start under sudo does not
 * lock that user out), or else as `nobody`, because initdb requires a user from /etc/passwd.
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
