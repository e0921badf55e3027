import { keepPreviousData, type QueryKey, type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { PARTS } from '../texts.ts';
import { Button } from './button.tsx';
import { ErrorState, SkeletonRows } from './states.tsx';

interface Row {
  readonly id: string;
}

interface ListProps<R extends Row> {
  label: string;
  rows: readonly R[];
  render: (row: R) => ReactNode;
}

/** Far down a long list, the browser renders only the rows near the window. */
export const List = <R extends Row>({ label, rows, render }: ListProps<R>) => (
  <ul className="list" aria-label={label}>
    {rows.map((row) => (
      <li key={row.id} data-key={row.id} className="list-row">
        {render(row)}
      </li>
    ))}
  </ul>
);

/** A page says where the next one starts, or that there is one after its last row. */
type AnyPage = { readonly next: string | null } | { readonly has_more: boolean };

interface PagesOptions<Page, R> {
  /** Starts with a Topic. */
  key: QueryKey;
  /** `after` is null for the first page. */
  fetch: (after: string | null, signal: AbortSignal) => Promise<Page>;
  rowsOf: (page: Page) => readonly R[];
  /** For a list whose changes no topic reports: refetches it while it has one page. More would shift the rows. */
  isPolled?: boolean;
}

const POLL_MS = 4_000;

interface LoadedList<R> {
  /** Undefined until the first page has loaded. */
  readonly rows: readonly R[] | undefined;
  readonly query: UseInfiniteQueryResult<unknown, Error>;
}

/** A row can be on two pages if its place in the order changed between the requests. */
function withoutRepeated<R extends Row>(rows: readonly R[]): readonly R[] {
  const seen = new Set<string>();
  return rows.filter(({ id }) => !seen.has(id) && seen.add(id));
}

/** Loads a list page by page. After a filter change, the old rows stay until the new ones arrive. */
export function usePages<Page extends AnyPage, R extends Row>(options: PagesOptions<Page, R>) {
  const { key, fetch, rowsOf, isPolled = false } = options;
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => fetch(pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam(page: Page) {
      if ('next' in page) return page.next;
      return page.has_more ? rowsOf(page).at(-1)?.id : null;
    },
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => isPolled && (state.data?.pages.length ?? 0) <= 1 && POLL_MS,
  });
  const { data } = query;
  // biome-ignore lint/correctness/useExhaustiveDependencies: rowsOf is a new function on every render but always does the same.
  const rows = useMemo(() => data && withoutRepeated(data.pages.flatMap(rowsOf)), [data]);
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

interface LoadedRowsProps<R> {
  pages: LoadedList<R> & { readonly isSearchingOlder?: boolean };
  skeleton?: ReactNode;
  empty: ReactNode;
  children: (rows: readonly R[]) => ReactNode;
}

/** A list that loads page by page in all of its states: loading, failed, empty, and with rows. */
export function LoadedRows<R>({ pages, skeleton, empty, children }: LoadedRowsProps<R>) {
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
