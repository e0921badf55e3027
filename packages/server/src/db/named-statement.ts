import { CompiledQuery } from 'kysely';

/**
 * Each connection plans a named statement only once, unless it leads through a pooler. The result must have a fixed list of
 * columns: a plan for `select *` fails once a newer version adds a column to the table.
 */
export interface NamedStatement {
  readonly name: string;
  readonly text: string;
}

const names = new Map<string, string>();

/** For a transaction of Kysely, which passes on only the text. The client finds the name by it. */
export function namedQuery({ name, text }: NamedStatement, values: readonly unknown[]): CompiledQuery {
  names.set(text, name);
  return CompiledQuery.raw(text, [...values]);
}

export const nameOf = (text: string): string | undefined => names.get(text);
