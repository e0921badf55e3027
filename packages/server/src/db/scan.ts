import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from './pools.ts';

export type Condition = RawBuilder<unknown>;

/**
 * A limit that the planner does not know. It takes all organizations for equally large and would expect most rows of one within
 * a large limit; it would then read and sort all of them instead of following the index.
 */
export const hiddenLimit = (count: number): Condition => sql`limit ${count}::int`;

export const allOf = (conditions: readonly Condition[]): Condition =>
  conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);

/** Newest first. A page may be short and still have a next one: the scan stopped at its row limit. */
export interface ScannedPage {
  readonly ids: readonly string[];
  /** Cursor of the next page; null at the end. */
  readonly next: string | null;
}

/**
 * Scans rows in index order for conditions that no index covers, until the page is full or `maxRows` were scanned.
 * Frequent matches fill a page after a few rows; rare ones take several pages, each of them fast.
 */
export async function scanPage<Tables>(
  db: Queryable<Tables>,
  scan: {
    /** Selects the newest `count` rows, with `hiddenLimit`. */
    newest(count: number): Condition;
    readonly conditions: readonly Condition[];
    /** Page size. */
    readonly limit: number;
    readonly maxRows: number;
  },
): Promise<ScannedPage> {
  const { newest, conditions, limit, maxRows } = scan;
  const scanned = newest(conditions.length === 0 ? limit + 1 : maxRows);
  const { rows } = await sql<{ ids: string[] | null; end: string | null }>`
    with page as materialized (
      select id from (${scanned}) scanned where ${allOf(conditions)} order by id desc limit ${sql.lit(limit + 1)}
    )
    select (select array_agg(id order by id desc) from page) as ids, case
      when (select count(*) from page) <= ${sql.lit(limit)}
      then (select id from (${scanned}) scanned order by id desc offset ${sql.lit(maxRows - 1)} limit 1)
    end as end`.execute(db);
  const [{ ids, end } = { ids: null, end: null }] = rows;
  const found = ids ?? [];
  return { ids: found.slice(0, limit), next: found.length > limit ? (found[limit - 1] ?? null) : end };
}
