import { setTimeout as pause } from 'node:timers/promises';
import { CompiledQuery, type Transaction } from 'kysely';
import type { Seal } from '../platform/seal.ts';
import {
  createNextKey,
  createRoot,
  type DerivedKey,
  type KeySource,
  promoteNextKey,
  type Root,
  readServerKeys,
  ServerKeyError,
} from '../platform/server-key.ts';
import {
  announceKey,
  findKeyInUse,
  KEYS_INTERVAL_MS,
  noteReencrypted,
  openPreviousKeys,
  readStoredKeys,
  type StoredKeys,
  sealPreviousKey,
  switchKeys,
} from './keyring.ts';
import type { Database, Queryable } from './pools.ts';

/** Each node reads the announcement within a second, and refuses it if it lacks the key. */
const ANNOUNCE_MS = 5 * KEYS_INTERVAL_MS;
/** Longer than a node uses the keys that it has read. */
const LEAD_MS = 10_000;

interface RotationDeps<Tables> {
  readonly db: Database<Tables>;
  readonly source: KeySource;
  /** Encrypts with the current key what other keys have encrypted. Returns how many values. */
  reencrypt(): Promise<number>;
  onWait(reason: string): void;
  /** Only tests shorten them. */
  readonly announceMs?: number | undefined;
  readonly leadMs?: number | undefined;
}

export interface Rotation {
  /** `resumed`: finished an earlier rotation. `unchanged`: SERVER_KEY was already in use, and nothing was left to do. */
  readonly status: 'rotated' | 'resumed' | 'unchanged';
  readonly reencrypted: number;
}

export const isReencrypted = ({ previous, reencrypted_at: at }: StoredKeys): boolean =>
  previous.length === 0 || at !== null;

async function requireStored<Tables>(db: Queryable<Tables>): Promise<StoredKeys> {
  const stored = await readStoredKeys(db);
  if (stored === null) throw new Error('the database has no server key');
  return stored;
}

/** The key to rotate to; null if it is in use. Without SERVER_KEY, one is created unless a rotation is unfinished. */
function chooseNext(source: KeySource, stored: StoredKeys): Root | null {
  const [given] = source.given;
  if (given === undefined) return isReencrypted(stored) ? createRoot(createNextKey(source)) : null;
  const next = createRoot(given);
  if (next.fingerprint.equals(stored.fingerprint)) return null;
  if (stored.previous.some(({ fingerprint }) => fingerprint.equals(next.fingerprint))) {
    throw new ServerKeyError('SERVER_KEY was used before. Set a new one: the output of openssl rand -hex 32');
  }
  return next;
}

/** Announces the key, waits for nodes that refuse it, and then switches all nodes at one time. */
async function switchTo<Tables>(deps: RotationDeps<Tables>, { fingerprint }: StoredKeys, next: Root): Promise<void> {
  const { db, source, onWait, announceMs = ANNOUNCE_MS, leadMs = LEAD_MS } = deps;
  if (!(await announceKey(db.kysely, fingerprint, next.fingerprint))) {
    throw new ServerKeyError('another command has rotated the server key in the meantime');
  }
  onWait('Checking that every node has the new key');
  await pause(announceMs);
  const usedFrom = await db.kysely.transaction().execute(async (tx) => {
    const current = await findKeyInUse(tx, readServerKeys(source));
    if (current === null) return null;
    const replaced = [...openPreviousKeys(await requireStored(tx), current).map(({ root }) => root), current];
    const sealed = new Map(replaced.map((root) => [root.fingerprint.toString('hex'), sealPreviousKey(next, root)]));
    return switchKeys(tx, { current: fingerprint, next: next.fingerprint, sealed }, leadMs);
  });
  if (usedFrom !== null) return;
  const { next_refused_by: node } = await requireStored(db.kysely);
  const who = node === null ? 'a node' : `the node ${node}`;
  throw new ServerKeyError(
    `${who} does not have the new key, so nothing was changed. Start every node with the new and the previous key, and run the command again`,
  );
}

/** Until then, nodes may still encrypt with the previous key. The margin is for clocks that differ and writes in flight. */
async function waitForSwitch<Tables>({ db, onWait, leadMs = LEAD_MS }: RotationDeps<Tables>): Promise<void> {
  const { previous, now } = await requireStored(db.kysely);
  const waitMs = (previous.at(-1)?.used_until.getTime() ?? 0) - now.getTime() + leadMs / 10;
  if (waitMs <= 0) return;
  onWait('Waiting until every node uses the new key');
  await pause(waitMs);
}

/**
 * Makes SERVER_KEY, or a new key in DATA_DIR, the key of the database, and encrypts everything stored with it. May stop at any
 * point: the next run continues from there.
 */
export async function rotateServerKey<Tables>(deps: RotationDeps<Tables>): Promise<Rotation> {
  const { db, source } = deps;
  const before = await requireStored(db.kysely);
  const next = chooseNext(source, before);
  if (next === null && isReencrypted(before)) return { status: 'unchanged', reencrypted: 0 };
  if (next !== null) await switchTo(deps, before, next);
  if (next !== null) promoteNextKey(source, next.secret);
  await waitForSwitch(deps);
  const reencrypted = await deps.reencrypt();
  await noteReencrypted(db.kysely, (await requireStored(db.kysely)).fingerprint);
  return { status: next === null ? 'resumed' : 'rotated', reencrypted };
}

/** A few milliseconds of work, so that a lock on these rows delays nothing. */
const REENCRYPTION_BATCH = 200;
/** Leaves most of the database to the service. */
const PAUSE_MS = 10;

/** A column of encrypted values. Its module declares it, and a test finds undeclared ones. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** The primary key, whose columns are texts. */
  readonly key: readonly string[];
  readonly seal: Seal;
  placeOf(row: Readonly<Record<string, string>>): string;
}

type Row = Readonly<Record<string, string>> & { readonly sealed_value: Buffer };

const listOf = (columns: readonly string[], toText: (name: string, at: number) => string): string =>
  columns.map(toText).join(', ');

/** Locks the next rows that another key has encrypted. */
function takeSql({ table, column, key }: SealedColumn): string {
  const names = listOf(key, (name) => name);
  return `select ${names}, ${column} as sealed_value from ${table}
    where ${column} is not null and (get_byte(${column}, 0) = 1 or substring(${column} from 2 for 4) <> $1)
      and (${names}) > (${listOf(key, (_, at) => `$${at + 2}`)})
    order by ${names} limit ${REENCRYPTION_BATCH} for update`;
}

function storeSql({ table, column, key }: SealedColumn): string {
  return `update ${table} t set ${column} = s.sealed_value
    from json_to_recordset($1::json) as s(${listOf(key, (name) => `${name} text`)}, sealed_value bytea)
    where ${key.map((name) => `t.${name} = s.${name}`).join(' and ')}`;
}

async function renewBatch<Tables>(
  tx: Transaction<Tables>,
  column: SealedColumn,
  id: Buffer,
  after: readonly string[],
): Promise<Row[]> {
  const { key, seal, placeOf } = column;
  const { rows } = await tx.executeQuery<Row>(CompiledQuery.raw(takeSql(column), [id, ...after]));
  const renewed = rows.map((row) => {
    const place = placeOf(row);
    const sealed_value = `\\x${seal.close(seal.open(row.sealed_value, place), place).toString('hex')}`;
    return { ...Object.fromEntries(key.map((name) => [name, row[name]])), sealed_value };
  });
  if (renewed.length > 0) await tx.executeQuery(CompiledQuery.raw(storeSql(column), [JSON.stringify(renewed)]));
  return rows;
}

/**
 * Encrypts the values of a column with the current server key. Each batch is one transaction, which finds only values of other
 * keys, so it may stop at any point and run again.
 */
export async function reencryptColumn<Tables>(
  db: Database<Tables>,
  column: SealedColumn,
  { id }: DerivedKey,
  onProgress: (values: number) => void,
): Promise<number> {
  if (id === null) return 0;
  let total = 0;
  let after = column.key.map(() => '');
  for (;;) {
    const rows = await db.kysely.transaction().execute((tx) => renewBatch(tx, column, id, after));
    total += rows.length;
    onProgress(rows.length);
    const last = rows.at(-1);
    if (last === undefined || rows.length < REENCRYPTION_BATCH) return total;
    after = column.key.map((name) => last[name] ?? '');
    await pause(PAUSE_MS);
  }
}
