import { sql } from 'kysely';
import type pg from 'pg';
import type { Objects } from '../platform/objects/index.ts';
import type { Database } from './pools.ts';

/** An arbitrary number that nothing else on the same database uses. */
const LOCK = 7_305_119_243n;
/** A deletion takes milliseconds; one that hangs must not stop backups. */
const WAIT_LIMIT = '60s';

/**
 * Lets a backup keep objects for the moment between the state of the database that it contains and the objects that belong to
 * it: deletions wait. The database releases the lock if either side dies.
 */
export function deletingUnlessHeld<Tables>(objects: Objects, db: Database<Tables>): Objects {
  const unlessHeld = (work: () => Promise<void>): Promise<void> =>
    db.kysely.transaction().execute(async (tx) => {
      await sql`select pg_advisory_xact_lock_shared(${LOCK})`.execute(tx);
      await work();
    });
  return {
    put: (key, body, options) => objects.put(key, body, options),
    open: (key) => objects.open(key),
    delete: (key) => unlessHeld(() => objects.delete(key)),
    deleteAll: (prefix) => unlessHeld(() => objects.deleteAll(prefix)),
    presign: (key, options) => objects.presign(key, options),
    check: () => objects.check(),
  };
}

/** Runs the work while no object is deleted. */
export async function withoutDeletions<Result>(client: pg.Client, work: () => Promise<Result>): Promise<Result> {
  await client.query(`set lock_timeout = '${WAIT_LIMIT}'`);
  await client.query('select pg_advisory_lock($1)', [LOCK]);
  try {
    return await work();
  } finally {
    await client.query('select pg_advisory_unlock($1)', [LOCK]);
  }
}
