import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import { useKeptPlace } from './kept-place.ts';

/** As the server fills a page; a shorter one that has a next looked through as much as it may. */
const PAGE = 50;
/** So often it goes on by itself to fill a page: what is found nowhere within is asked for by hand. */
const MOST_TRIES = 12;
/** Below this somebody reads further down: what is new there would push the rows away under their eyes. */
const TOP_PX = 300;
/** Of an id, what is chance. With the last letter in its place it stands behind all ids of its moment. */
const CHANCE_LENGTH = 13;

interface Row {
  readonly id: string;
}

interface Page<R extends Row> {
  readonly rows: readonly R[];
  readonly next: string | null;
}

const isDown = (): boolean => window.scrollY > TOP_PX;
const justBehind = (id: string): string => id.slice(0, -CHANCE_LENGTH) + 'z'.repeat(CHANCE_LENGTH);

/**
 * A list that stays true while it is open. Whoever stands at its top sees new rows come; whoever has scrolled down sees the
 * same rows change, and the new ones on the way back up.
 */
export function useList<R extends Row>(
  key: readonly unknown[],
  fetch: (after: string | undefined, signal: AbortSignal) => Promise<Page<R>>,
) {
  const newest = useRef<string | undefined>(undefined);
  const missed = useRef(false);
  const query = useInfiniteQuery({
    queryKey: key,
    async queryFn({ pageParam, signal }) {
      if (pageParam !== null) return fetch(pageParam, signal);
      const holds = isDown() && newest.current !== undefined;
      const page = await fetch(holds ? newest.current : undefined, signal);
      const { current: limit } = newest;
      missed.current = holds;
      if (holds || limit === undefined || !isDown()) return page;
      // They have scrolled down while it was asked.
      const rows = page.rows.filter(({ id }) => id < limit);
      missed.current = rows.length < page.rows.length;
      return { ...page, rows };
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }: Page<R>) => next,
    placeholderData: (earlier) => earlier,
  });
  const { data, hasNextPage, isFetching, isPlaceholderData, fetchNextPage, refetch } = query;
  const rows = useMemo(() => data?.pages.flatMap((page) => page.rows), [data]);
  useKeptPlace(rows, isDown);
  const first = rows?.[0]?.id;
  useEffect(() => {
    newest.current = first === undefined || isPlaceholderData ? undefined : justBehind(first);
  }, [first, isPlaceholderData]);

  useEffect(() => {
    const look = () => {
      if (isDown() || !missed.current) return;
      missed.current = false;
      void refetch();
    };
    window.addEventListener('scroll', look, { passive: true });
    return () => window.removeEventListener('scroll', look);
  }, [refetch]);

  const pages = data?.pages ?? [];
  const isShort = pages.length > 0 && pages.length <= MOST_TRIES && (rows?.length ?? 0) < PAGE;
  const looksBack = isShort && hasNextPage && !isPlaceholderData;
  useEffect(() => {
    if (looksBack && !isFetching) void fetchNextPage();
  }, [looksBack, isFetching, fetchNextPage]);

  return { query, rows, looksBack };
}
