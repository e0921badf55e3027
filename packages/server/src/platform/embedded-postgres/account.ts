import { readFileSync, statSync } from 'node:fs';
import type { Cluster } from './cluster.ts';
import { EmbeddedPostgresError } from './error.ts';

/** Who PostgreSQL runs as. Empty: as the user of this process. */
export interface Account {
  readonly uid?: number;
  readonly gid?: number;
}

/** A fixed environment: PGDATA, PGPORT and their kin of the operator's shell must not steer our cluster. */
export const CHILD_ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
};

/**
 * PostgreSQL refuses to run as root. Root hands it to whoever owns the cluster already (so that one start under sudo
 * does not lock its owner out), else to `nobody`: initdb wants a user that /etc/passwd knows.
 */
export function chooseAccount(cluster: Cluster): Account {
  if (process.getuid?.() !== 0) return {};
  if (process.platform !== 'linux') {
    throw new EmbeddedPostgresError(
      'the embedded database does not run as root here; use another user or set DATABASE_URL',
    );
  }
  const owner = statSync(cluster.folder, { throwIfNoEntry: false });
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  return accountOfNobody();
}

function accountOfNobody(): Account {
  for (const line of readFileSync('/etc/passwd', 'utf8').split('\n')) {
    const [user, , uid, gid] = line.split(':');
    if (user === 'nobody') return { uid: Number(uid), gid: Number(gid) };
  }
  throw new EmbeddedPostgresError(
    'started as root, and there is no user "nobody" to run the database as; use another user or set DATABASE_URL',
  );
}
