import { sql } from 'kysely';
import type { Queryable } from '../db.ts';

export interface StoredKeys {
  readonly fingerprint: Buffer;
  readonly nextFingerprint: Buffer | null;
  readonly nextRefusedBy: string | null;
  readonly reencryptedAt: Date | null;
  /** Oldest first. */
  readonly previous: readonly PreviousKey[];
  /** The database's time. */
  readonly now: Date;
}

export interface PreviousKey {
  readonly fingerprint: Buffer;
  readonly sealed: Buffer;
  readonly usedUntil: Date;
}

export async function recordFirstKey<Tables>(db: Queryable<Tables>, fingerprint: Buffer): Promise<void> {
  await sql`insert into server_key (fingerprint) values (${fingerprint}) on conflict do nothing`.execute(db);
}

interface Row {
  fingerprint: Buffer;
  next_fingerprint: Buffer | null;
  next_refused_by: string | null;
  reencrypted_at: Date | null;
  now: Date;
  previous: Buffer | null;
  sealed_key: Buffer;
  used_until: Date;
}

/** Null: the database has no key yet. One statement, so that a rotation cannot come between. */
export async function readStoredKeys<Tables>(db: Queryable<Tables>): Promise<StoredKeys | null> {
  const { rows } = await sql<Row>`
    select k.fingerprint, k.next_fingerprint, k.next_refused_by, k.reencrypted_at, clock_timestamp() as now,
      p.fingerprint as previous, p.sealed_key, p.used_until
    from server_key k left join previous_server_keys p on true
    order by p.used_until`.execute(db);
  const [first] = rows;
  if (first === undefined) return null;
  return {
    fingerprint: first.fingerprint,
    nextFingerprint: first.next_fingerprint,
    nextRefusedBy: first.next_refused_by,
    reencryptedAt: first.reencrypted_at,
    previous: rows.flatMap(({ previous, sealed_key: sealed, used_until: usedUntil }) =>
      previous === null ? [] : [{ fingerprint: previous, sealed, usedUntil }],
    ),
    now: first.now,
  };
}

/** False if another rotation has finished in the meantime. */
export async function announceKey<Tables>(db: Queryable<Tables>, current: Buffer, next: Buffer): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update server_key set next_fingerprint = ${next}, next_refused_by = null where fingerprint = ${current}`.execute(
    db,
  );
  return numAffectedRows === 1n;
}

/** A node without the announced key withdraws it, so that it can keep using the current one. */
export async function refuseKey<Tables>(db: Queryable<Tables>, next: Buffer, node: string): Promise<void> {
  await sql`
    update server_key set next_fingerprint = null, next_refused_by = ${node} where next_fingerprint = ${next}`.execute(
    db,
  );
}

/** Makes the announced key the current one from `leadMs` on. Null if it was withdrawn. */
export async function switchKeys<Tables>(
  tx: Queryable<Tables>,
  keys: { readonly current: Buffer; readonly next: Buffer; readonly sealed: ReadonlyMap<string, Buffer> },
  leadMs: number,
): Promise<Date | null> {
  const { numAffectedRows } = await sql`
    update server_key set fingerprint = ${keys.next}, next_fingerprint = null, reencrypted_at = null
    where fingerprint = ${keys.current} and next_fingerprint = ${keys.next}`.execute(tx);
  if (numAffectedRows !== 1n) return null;
  for (const [fingerprint, sealed] of keys.sealed) {
    await sql`
      insert into previous_server_keys (fingerprint, sealed_key, used_until)
      values (${Buffer.from(fingerprint, 'hex')}, ${sealed}, clock_timestamp() + ${leadMs} * interval '1 millisecond')
      on conflict (fingerprint) do update set sealed_key = excluded.sealed_key`.execute(tx);
  }
  const { rows } = await sql<{ used_until: Date }>`
    select used_until from previous_server_keys where fingerprint = ${keys.current}`.execute(tx);
  return rows[0]?.used_until ?? null;
}

export async function noteReencrypted<Tables>(db: Queryable<Tables>, fingerprint: Buffer): Promise<void> {
  await sql`update server_key set reencrypted_at = clock_timestamp() where fingerprint = ${fingerprint}`.execute(db);
}
