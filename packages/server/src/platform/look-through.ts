import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from './db.ts';

export type Condition = RawBuilder<unknown>;

export const allOf = (conditions: readonly Condition[]): Condition =>
  conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);

/** The newest first. A page may be short and yet have a next one: then it looked through as many rows as it may. */
export interface FoundPage {
  readonly ids: readonly string[];
  /** Where to go on; null at the end. */
  readonly next: string | null;
}

/**
 * One page of rows that come in order from an index and have to meet conditions for which there is none. It ends as soon as it
 * is full: of what is common, a few rows are read. What is rare takes several pages, each of them quick.
 */
export async function lookThrough<Tables>(
  db: Queryable<Tables>,
  look: {
    /** Selects the newest rows, so many. */
    newest(count: number): Condition;
    readonly conditions: readonly Condition[];
    /** How long a page is. */
    readonly limit: number;
    /** How many rows one page looks at. */
    readonly most: number;
  },
): Promise<FoundPage> {
  const { newest, conditions, limit, most } = look;
  const scanned = newest(conditions.length === 0 ? limit + 1 : most);
  const { rows } = await sql<{ ids: string[] | null; end: string | null }>`
    with page as materialized (
      select id from (${scanned}) scanned where ${allOf(conditions)} order by id desc limit ${sql.lit(limit + 1)}
    )
    select (select array_agg(id order by id desc) from page) as ids, case
      when (select count(*) from page) <= ${sql.lit(limit)}
      then (select id from (${scanned}) scanned order by id desc offset ${sql.lit(most - 1)} limit 1)
    end as end`.execute(db);
  const [{ ids, end } = { ids: null, end: null }] = rows;
  const found = ids ?? [];
  return { ids: found.slice(0, limit), next: found.length > limit ? (found[limit - 1] ?? null) : end };
}
