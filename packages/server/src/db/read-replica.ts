import type { Logger } from '../platform/log.ts';
import { every } from '../platform/schedule.ts';
import { type Connection, type Database, openDatabase } from './pools.ts';

const CHECK_INTERVAL_MS = 2_000;
/** Reports may be this old. Replicas usually follow within milliseconds. */
const MAX_LAG_S = 10;

/** Zero when nothing is left to apply: while the primary is idle, the last transaction only looks old. */
const LAG = `select case
    when not pg_is_in_recovery() or pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() then 0
    else coalesce(extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp()), 'infinity')
  end::float8 as seconds`;

/** A copy of the database for reports. Leads to the primary while the copy does not respond or lags. Closes both. */
export function openReadReplica<Tables>(
  connection: Connection,
  options: { readonly primary: Database<Tables>; readonly max: number; readonly log: Logger },
): { db: Database<Tables>; isReplicaFailing(): boolean } {
  const { primary, max, log } = options;
  /** Undefined until the first check. */
  let isUsable: boolean | undefined;
  const db = openDatabase<Tables>(connection, {
    use: 'report',
    max,
    name: 'foreword reports',
    keyedPlans: true,
    fallback: { pool: primary.pool, isBetter: () => isUsable !== true },
    onError: (err) => log.warn({ err }, 'connection to the replica lost'),
  });
  // A pool of its own, because the other one avoids the replica while it lags.
  const probe = openDatabase<Tables>(connection, {
    use: 'request',
    max: 1,
    name: 'foreword replica',
    onError: () => undefined,
  });
  const check = async () => {
    const before = isUsable;
    const { seconds, err } = await probe.pool.query<{ seconds: number }>(LAG).then(
      ({ rows }) => ({ seconds: rows[0]?.seconds ?? Number.POSITIVE_INFINITY, err: undefined }),
      (error: unknown) => ({ seconds: undefined, err: error }),
    );
    isUsable = seconds !== undefined && seconds <= MAX_LAG_S;
    if (isUsable && before !== true) log.info('reports use the replica');
    if (!isUsable && before !== false)
      log.warn({ err, seconds }, 'reports use the primary: DATABASE_READ_URL lags or does not respond');
  };
  const checking = every(CHECK_INTERVAL_MS, 'check the replica', log, check);
  const close = async () => {
    await checking.stop();
    await Promise.all([db.close(), probe.close(), primary.close()]);
  };
  return { db: { ...db, close }, isReplicaFailing: () => isUsable === false };
}
