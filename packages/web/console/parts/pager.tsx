import { type QueryKey, type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { PARTS } from '../texts/common.ts';
import { Button } from './button.tsx';
import { ErrorState } from './loaded.tsx';

interface PagesOptions<Page, Row> {
  /** Starts with a Topic. */
  key: QueryKey;
  /** `after` is null for the first page, otherwise the result of `nextOf` for the previous page. */
  fetch: (after: string | null, signal: AbortSignal) => Promise<Page>;
  rowsOf: (page: Page) => readonly Row[];
  /** Null after the last page. */
  nextOf: (page: Page) => string | null;
}

export interface Pages<Row> {
  /** Undefined until the first page has loaded. */
  readonly rows: readonly Row[] | undefined;
  readonly query: UseInfiniteQueryResult<unknown, Error>;
}

/** Loads a list page by page. After a filter change, the old rows stay until the new ones arrive. */
export function usePages<Page, Row>({ key, fetch, rowsOf, nextOf }: PagesOptions<Page, Row>): Pages<Row> {
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => fetch(pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: nextOf,
    placeholderData: (earlier) => earlier,
  });
  const { data } = query;
  // biome-ignore lint/correctness/useExhaustiveDependencies: rowsOf is a new function on every render but always does the same.
  const rows = useMemo(() => data?.pages.flatMap(rowsOf), [data]);
  return { rows, query };
}

/** The "Load more" button below a list. */
export function Pager({ query }: { query: UseInfiniteQueryResult<unknown, Error> }) {
  if (query.isFetchNextPageError) {
    return <ErrorState error={query.error} retry={() => void query.fetchNextPage()} busy={query.isFetching} />;
  }
  if (!query.hasNextPage) return null;
  return (
    <div className="pager">
      <Button kind="quiet" busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        {query.isFetchingNextPage ? PARTS.loadingMore : PARTS.loadMore}
      </Button>
    </div>
  );
}
