import { DEFAULT_PAGE_SIZE, type List } from '@foreword/contract';
import { type RawBuilder, sql } from 'kysely';
import { invalid } from '../platform/errors.ts';
import { ID_PATTERN, idBound } from '../platform/ids.ts';
import { parseInstant } from '../platform/instants.ts';
import type { Queryable } from './pools.ts';
import { planOnce } from './statements.ts';

export type Condition = RawBuilder<unknown>;

/**
 * A limit that the planner does not know. It takes all organizations for equally large and would expect most rows of one within
 * a large limit; it would then read and sort all of them instead of following the index.
 */
export const hiddenLimit = (count: number): Condition => sql`limit ${count}::int`;

export const allOf = (conditions: readonly Condition[]): Condition =>
  conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);

export const anyOf = (conditions: readonly Condition[]): Condition => sql`(${sql.join(conditions, sql` or `)})`;

/** Ids sort by creation time, so a period is a range of ids. `until` is exclusive. */
export const idRange = (
  prefix: string,
  { from, until, after }: Partial<Period> & { readonly after?: string | undefined },
): Condition[] => [
  ...(from === undefined ? [] : [sql`id >= ${idBound(prefix, from)}`]),
  ...(until === undefined ? [] : [sql`id < ${idBound(prefix, until)}`]),
  ...(after === undefined ? [] : [sql`id < ${after}`]),
];

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
    /** The statement has few texts, so it is planned once. */
    readonly isFixed?: boolean | undefined;
  },
): Promise<ScannedPage> {
  const { newest, conditions, limit, maxRows, isFixed = false } = scan;
  const scanned = newest(conditions.length === 0 ? limit + 1 : maxRows);
  const statement = sql<{ ids: string[] | null; end: string | null }>`
    with page as materialized (
      select id from (${scanned}) scanned where ${allOf(conditions)} order by id desc limit ${sql.lit(limit + 1)}
    )
    select (select array_agg(id order by id desc) from page) as ids, case
      when (select count(*) from page) <= ${sql.lit(limit)}
      then (select id from (${scanned}) scanned order by id desc offset ${sql.lit(maxRows - 1)} limit 1)
    end as end`.compile(db);
  const { rows } = await db.executeQuery(isFixed ? planOnce(statement) : statement);
  const [{ ids, end } = { ids: null, end: null }] = rows;
  const found = ids ?? [];
  return { ids: found.slice(0, limit), next: found.length > limit ? (found[limit - 1] ?? null) : end };
}

interface PageQuery {
  limit?: number;
  starting_after?: string;
}

/**
 * Reads one page, newest first. Ids sort by creation, so the last id of a page is the cursor; it must belong to the
 * organization. One extra row shows whether there is a next page.
 */
export async function readPage<Row, Wire>(
  query: PageQuery,
  source: {
    exists(id: string): Promise<boolean>;
    rows(page: { limit: number; startingAfter: string | undefined }): Promise<Row[]>;
    present(row: Row): Wire;
  },
): Promise<List<Wire>> {
  const { limit = DEFAULT_PAGE_SIZE, starting_after: startingAfter } = query;
  if (startingAfter !== undefined && !(ID_PATTERN.test(startingAfter) && (await source.exists(startingAfter)))) {
    throw invalid('starting_after', 'must be an id of the previous page');
  }
  const rows = await source.rows({ limit: limit + 1, startingAfter });
  return { object: 'list', data: rows.slice(0, limit).map(source.present), has_more: rows.length > limit };
}

export interface Period {
  readonly from: Date | undefined;
  /** Exclusive. */
  readonly until: Date | undefined;
}

/** Reads the period of a list, which the schema has checked. */
export function readPeriod(query: { created_after?: string; created_before?: string }): Period {
  const read = (text: string | undefined) => (text === undefined ? undefined : (parseInstant(text) ?? undefined));
  return { from: read(query.created_after), until: read(query.created_before) };
}
