import { hostname } from 'node:os';
import { type Selectable, sql } from 'kysely';
import { monotonicMs } from '../platform/clock.ts';
import { createSeal } from '../platform/seal.ts';
import {
  createRoot,
  firstServerKey,
  type KeySource,
  type Period,
  promoteNextKey,
  type Root,
  readServerKeys,
  type ServerKey,
  ServerKeyError,
  scheduledKey,
} from '../platform/server-key.ts';
import { DatabaseUnavailable } from './client.ts';
import type { Queryable } from './pools.ts';
import type { AllTables } from './rows.ts';

type PreviousKey = Selectable<AllTables['previous_server_keys']>;

export interface StoredKeys extends Selectable<AllTables['server_key']> {
  /** Oldest first. */
  readonly previous: readonly PreviousKey[];
  /** The database's time. */
  readonly now: Date;
}

async function recordFirstKey<Tables>(db: Queryable<Tables>, fingerprint: Buffer): Promise<void> {
  await sql`insert into server_key (fingerprint) values (${fingerprint}) on conflict do nothing`.execute(db);
}

/** Null: the database has no key yet. One statement, so that a rotation cannot come between. */
export async function readStoredKeys<Tables>(db: Queryable<Tables>): Promise<StoredKeys | null> {
  const { rows } = await sql<Omit<StoredKeys, 'previous'> & PreviousKey & { previous: Buffer | null }>`
    select k.*, clock_timestamp() as now, p.fingerprint as previous, p.sealed_key, p.used_until
    from server_key k left join previous_server_keys p on true
    order by p.used_until`.execute(db);
  const [first] = rows;
  if (first === undefined) return null;
  const previous = rows.flatMap(({ previous: fingerprint, sealed_key, used_until }) =>
    fingerprint === null ? [] : [{ fingerprint, sealed_key, used_until }],
  );
  return { ...first, previous };
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
async function refuseKey<Tables>(db: Queryable<Tables>, next: Buffer, node: string): Promise<void> {
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

export const KEYS_INTERVAL_MS = 1_000;
/** After reading the keys, a node is sure for this long that no other key is in use. Shorter than the lead of a rotation. */
const CERTAIN_MS = 7_000;
const SEAL_PURPOSE = 'previous server keys';

/** The server keys of a database, as this process knows them. */
export interface Keyring extends ServerKey {
  /** Reads which keys are in use. Once called, it has to be called again at least every few seconds. */
  refresh<Tables>(db: Queryable<Tables>): Promise<void>;
  /** Resolves with the reason when the database uses a key that this process does not have. */
  readonly lost: Promise<string>;
}

const UNKNOWN =
  'SERVER_KEY is not the key that this database uses. Use the same SERVER_KEY on every node, add the missing key after a comma, or copy server.key from the DATA_DIR of the first node';

const isOf =
  (fingerprint: Buffer) =>
  (root: Root): boolean =>
    root.fingerprint.equals(fingerprint);

const rootsOf = (source: KeySource): Root[] => readServerKeys(source).map(createRoot);

export const sealPreviousKey = (current: Root, previous: Root): Buffer =>
  createSeal(current.derive(SEAL_PURPOSE)).close(previous.secret.toString('hex'), previous.fingerprint.toString('hex'));

/** The keys before this one, oldest first. */
export function openPreviousKeys({ previous }: StoredKeys, current: Root): Period[] {
  const seal = createSeal(current.derive(SEAL_PURPOSE));
  return previous.map(({ fingerprint, sealed_key: sealed, used_until: until }) => ({
    root: createRoot(Buffer.from(seal.open(sealed, fingerprint.toString('hex')), 'hex')),
    until,
  }));
}

/** The key that the database uses. Fails if it is none of these; null if it has none. */
export async function findKeyInUse<Tables>(db: Queryable<Tables>, secrets: readonly Buffer[]): Promise<Root | null> {
  const stored = await readStoredKeys(db);
  if (stored === null) return null;
  const found = secrets.map(createRoot).find(isOf(stored.fingerprint));
  if (found === undefined) throw new ServerKeyError(UNKNOWN);
  return found;
}

/** The keys of the database at this moment, without changing anything; null if it has none. */
export async function readKeyring<Tables>(db: Queryable<Tables>, source: KeySource): Promise<ServerKey | null> {
  const stored = await readStoredKeys(db);
  const current = await findKeyInUse(db, readServerKeys(source));
  if (stored === null || current === null) return null;
  const periods = [...openPreviousKeys(stored, current), { root: current, until: null }];
  return scheduledKey(
    () => periods,
    () => stored.now,
  );
}

/** Reads the keys of the database. The first process records its key there. Fails if this process lacks the one in use. */
export async function openKeyring<Tables>(
  db: Queryable<Tables>,
  source: KeySource,
  nowMs = monotonicMs,
): Promise<Keyring> {
  let roots = rootsOf(source);
  let periods: readonly Period[] = [];
  let isFollowing = false;
  let certainUntilMs = Number.POSITIVE_INFINITY;
  let offsetMs = 0;
  const lost = Promise.withResolvers<string>();

  const find = (fingerprint: Buffer): Root | undefined => {
    const known = [...roots, ...periods.map(({ root }) => root)].find(isOf(fingerprint));
    if (known !== undefined) return known;
    roots = rootsOf(source);
    return roots.find(isOf(fingerprint));
  };

  async function read<Any>(from: Queryable<Any>): Promise<boolean> {
    const stored = await readStoredKeys(from);
    const current = stored === null ? undefined : find(stored.fingerprint);
    if (stored === null || current === undefined) return false;
    const { next_fingerprint: next } = stored;
    if (next !== null && find(next) === undefined) await refuseKey(from, next, hostname());
    const isSame =
      stored.previous.length === periods.length - 1 && periods.at(-1)?.root.fingerprint.equals(stored.fingerprint);
    if (isSame !== true) {
      periods = [...openPreviousKeys(stored, current), { root: current, until: null }];
      promoteNextKey(source, current.secret);
    }
    offsetMs = stored.now.getTime() - nowMs();
    certainUntilMs = isFollowing ? stored.now.getTime() + CERTAIN_MS : Number.POSITIVE_INFINITY;
    return true;
  }

  // Only then, so that no new server.key takes the place of one that is missing.
  if ((await readStoredKeys(db)) === null) await recordFirstKey(db, createRoot(firstServerKey(source)).fingerprint);
  if (!(await read(db))) throw new ServerKeyError(UNKNOWN);
  const now = () => nowMs() + offsetMs;
  const schedule = (time?: Date): readonly Period[] => {
    // Another node may have switched to a key that this one has not read yet, and a link must not depend on the node. A time
    // in the future comes from a forged link or a wrong clock.
    if (time !== undefined && Math.min(time.getTime(), now()) > certainUntilMs)
      throw new DatabaseUnavailable('the server keys could not be read');
    return periods;
  };
  return {
    ...scheduledKey(schedule, () => new Date(now())),
    async refresh(from) {
      isFollowing = true;
      if (!(await read(from))) lost.resolve(UNKNOWN);
    },
    lost: lost.promise,
  };
}
