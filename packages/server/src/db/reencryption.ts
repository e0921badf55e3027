import { setTimeout as pause } from 'node:timers/promises';
import { CompiledQuery, type Transaction } from 'kysely';
import type { Seal } from '../platform/seal.ts';
import type { DerivedKey } from '../platform/server-key.ts';
import type { Database } from './pools.ts';

/** A few milliseconds of work, so that a lock on these rows delays nothing. */
const BATCH = 200;
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
    order by ${names} limit ${BATCH} for update`;
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
    if (last === undefined || rows.length < BATCH) return total;
    after = column.key.map((name) => last[name] ?? '');
    await pause(PAUSE_MS);
  }
}
