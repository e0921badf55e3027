import { type QueryKey, type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { PARTS } from '../texts/common.ts';
import { Button } from './button.tsx';
import { ErrorState } from './error-state.tsx';

interface PagesOptions<Page, Row> {
  /** Its first word is a Topic. */
  key: QueryKey;
  /** Null for the first page; else what `nextOf` gave for the one before. */
  fetch: (after: string | null, signal: AbortSignal) => Promise<Page>;
  rowsOf: (page: Page) => readonly Row[];
  /** Null when there is no more. */
  nextOf: (page: Page) => string | null;
}

export interface Pages<Row> {
  /** Undefined until the first page has come. */
  readonly rows: readonly Row[] | undefined;
  readonly query: UseInfiniteQueryResult<unknown, Error>;
}

/** A list that is read page by page. The rows of the last filter stay until those of the next have come. */
export function usePages<Page, Row>({ key, fetch, rowsOf, nextOf }: PagesOptions<Page, Row>): Pages<Row> {
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => fetch(pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: nextOf,
    placeholderData: (earlier) => earlier,
  });
  const { data } = query;
  // biome-ignore lint/correctness/useExhaustiveDependencies: rowsOf is written anew at each call, and does the same.
  const rows = useMemo(() => data?.pages.flatMap(rowsOf), [data]);
  return { rows, query };
}

/** Below the rows: the next page, on demand. */
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
