import { DEFAULT_PAGE_SIZE, type List } from '@foreword/contract';
import { invalid } from './errors.ts';
import { ID_PATTERN } from './ids.ts';
import { parseInstant } from './instants.ts';

export interface PageQuery {
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
