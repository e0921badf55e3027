import { iso } from '@foreword/contract';
import type { CompiledQuery } from 'kysely';

/** PostgreSQL keeps the plan of a statement that has a name. */
const planNames = new Map<string, string>();

/**
 * A statement that each connection plans only once, unless it leads through a pooler. The result must have a fixed list of
 * columns: a plan for `select *` fails once a newer version adds a column to the table.
 */
export function planned(text: string): string {
  if (!planNames.has(text)) planNames.set(text, `planned ${planNames.size}`);
  return text;
}

export const nameOf = (text: string): string | undefined => planNames.get(text);

/** As `planned`, for a statement that is built from parts. It must have few texts: each connection keeps a plan for each. */
export function planOnce<Result>(query: CompiledQuery<Result>): CompiledQuery<Result> {
  planned(query.sql);
  return query;
}

/**
 * Rows that a statement gets as one array for each column, from the parameter `first` on. PostgreSQL takes four times as long to read
 * the same rows as JSON. `text` is the source of a FROM clause.
 */
export function inputRows<Name extends string>(alias: string, types: Readonly<Record<Name, string>>, first = 1) {
  const names = Object.keys(types) as Name[];
  const arrays = names.map((name, at) => `$${first + at}::${types[name]}[]`);
  return {
    text: `unnest(${arrays.join(', ')}) as ${alias}(${names.join(', ')})`,
    /** The number of the first parameter after these. */
    next: first + names.length,
    values: (rows: readonly { readonly [Each in Name]?: unknown }[]): unknown[] =>
      names.map((name) => toArray(rows.map((row) => row[name]))),
  };
}

/** Writes an array for PostgreSQL in a fifth of the time that pg takes: without escapes, JSON differs only in its brackets. */
function toArray(values: readonly unknown[]): unknown {
  const plain = values.map((value) => (value instanceof Date ? iso(value) : value));
  if (plain.some((value) => typeof value === 'object' && value !== null)) return plain;
  const text = JSON.stringify(plain);
  return text.includes('\\') ? plain : `{${text.slice(1, -1)}}`;
}
