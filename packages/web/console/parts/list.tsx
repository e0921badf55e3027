import { type QueryKey, type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { PARTS } from '../texts.ts';
import { Button } from './button.tsx';
import { ErrorState, SkeletonRows } from './states.tsx';

interface ListProps<Row> {
  label: string;
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  render: (row: Row) => ReactNode;
}

/** Far down a long list, the browser renders only the rows near the window. */
export const List = <Row,>({ label, rows, keyOf, render }: ListProps<Row>) => (
  <ul className="list" aria-label={label}>
    {rows.map((row) => (
      <li key={keyOf(row)} data-key={keyOf(row)} className="list-row">
        {render(row)}
      </li>
    ))}
  </ul>
);

interface PagesOptions<Page, Row> {
  /** Starts with a Topic. */
  key: QueryKey;
  /** `after` is null for the first page, otherwise the result of `nextOf` for the previous page. */
  fetch: (after: string | null, signal: AbortSignal) => Promise<Page>;
  rowsOf: (page: Page) => readonly Row[];
  /** Null after the last page. */
  nextOf: (page: Page) => string | null;
  /** For a list whose changes no topic reports: refetches it while it has one page. More would shift the rows. */
  isPolled?: boolean;
}

const POLL_MS = 4_000;

interface LoadedList<Row> {
  /** Undefined until the first page has loaded. */
  readonly rows: readonly Row[] | undefined;
  readonly query: UseInfiniteQueryResult<unknown, Error>;
}

/** Loads a list page by page. After a filter change, the old rows stay until the new ones arrive. */
export function usePages<Page, Row>({ key, fetch, rowsOf, nextOf, isPolled = false }: PagesOptions<Page, Row>) {
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => fetch(pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: nextOf,
    placeholderData: (earlier) => earlier,
    refetchInterval: ({ state }) => isPolled && (state.data?.pages.length ?? 0) <= 1 && POLL_MS,
  });
  const { data } = query;
  // biome-ignore lint/correctness/useExhaustiveDependencies: rowsOf is a new function on every render but always does the same.
  const rows = useMemo(() => data?.pages.flatMap(rowsOf), [data]);
  return { rows, query, pages: data?.pages ?? [] };
}

/** The "Load more" button below a list. */
function Pager({ query }: { query: UseInfiniteQueryResult<unknown, Error> }) {
  if (query.isFetchNextPageError) {
    return <ErrorState error={query.error} retry={() => void query.fetchNextPage()} busy={query.isFetching} />;
  }
  if (!query.hasNextPage) return null;
  return (
    <div className="entry">
      <Button
        kind="quiet"
        busy={query.isFetchingNextPage}
        onClick={() => void query.fetchNextPage()}
        label={query.isFetchingNextPage ? PARTS.loadingMore : PARTS.loadMore}
      />
    </div>
  );
}

interface LoadedRowsProps<Row> {
  pages: LoadedList<Row> & { readonly isSearchingOlder?: boolean };
  skeleton?: ReactNode;
  empty: ReactNode;
  children: (rows: readonly Row[]) => ReactNode;
}

/** A list that loads page by page in all of its states: loading, failed, empty, and with rows. */
export function LoadedRows<Row>({ pages, skeleton, empty, children }: LoadedRowsProps<Row>) {
  const { rows, query, isSearchingOlder = false } = pages;
  if (rows === undefined) {
    if (!query.isError) return skeleton ?? <SkeletonRows />;
    return <ErrorState error={query.error} retry={() => void query.refetch()} busy={query.isFetching} />;
  }
  if (rows.length === 0 && !isSearchingOlder && !query.hasNextPage) return empty;
  return (
    <>
      {rows.length > 0 && children(rows)}
      {isSearchingOlder ? (
        <p className="soft" role="status">
          {PARTS.searchingOlder}
        </p>
      ) : (
        <Pager query={query} />
      )}
    </>
  );
}
