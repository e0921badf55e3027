import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import { List, LoadedRows, usePages } from '../../parts/list.tsx';
import { SkeletonRows } from '../../parts/states.tsx';

interface Anchor {
  readonly key: string;
  readonly top: number;
}

/** The row that the user is most likely reading. */
function findAnchor(): Anchor | null {
  const row = document.elementFromPoint(innerWidth / 2, innerHeight / 3)?.closest('[data-key]');
  const key = row?.getAttribute('data-key');
  return row && key ? { key, top: row.getBoundingClientRect().top } : null;
}

/** Keeps the visible rows in place when rows above them are added or removed. Not every browser anchors scrolling. */
function useScrollAnchor(rows: unknown, isScrolledDown: () => boolean): void {
  const anchor = useRef<Anchor | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs whenever the rows change.
  useLayoutEffect(() => {
    const { current } = anchor;
    if (current !== null && isScrolledDown()) {
      const row = document.querySelector(`[data-key="${CSS.escape(current.key)}"]`);
      const moved = row === null ? 0 : row.getBoundingClientRect().top - current.top;
      if (Math.abs(moved) >= 1) window.scrollBy({ top: moved, behavior: 'instant' });
    }
    anchor.current = findAnchor();
  }, [rows, isScrolledDown]);
  useEffect(() => {
    const update = () => {
      anchor.current = findAnchor();
    };
    window.addEventListener('scroll', update, { passive: true });
    return () => window.removeEventListener('scroll', update);
  }, []);
}

/** The server's page size. A shorter page that has a next one means that the server stopped scanning early. */
const PAGE_ROWS = 50;
/** Loads this many pages automatically to fill the list. After that, the user has to ask for more. */
const MAX_AUTO_PAGES = 12;
/** Further down, new rows at the top would move the rows that the user is reading. */
const TOP_PX = 300;
/** The random part of an id. Filled with the last letter, it sorts after all ids of the same moment. */
const RANDOM_LENGTH = 13;

interface Row {
  readonly id: string;
}

interface Page<R extends Row> {
  readonly rows: readonly R[];
  readonly next: string | null;
}

const isScrolledDown = (): boolean => window.scrollY > TOP_PX;
const justAfter = (id: string): string => id.slice(0, -RANDOM_LENGTH) + 'z'.repeat(RANDOM_LENGTH);

/** A live list: new rows appear at the top, or, if the user has scrolled down, once they scroll back up. */
export function useLiveList<R extends Row>(
  key: readonly unknown[],
  fetch: (after: string | undefined, signal: AbortSignal) => Promise<Page<R>>,
  { isNewestFirst = true } = {},
) {
  const newest = useRef<string | undefined>(undefined);
  const hasNewer = useRef(false);
  const { query, rows, pages } = usePages<Page<R>, R>({
    key,
    async fetch(after, signal) {
      if (after !== null) return fetch(after, signal);
      const isPinned = isScrolledDown() && newest.current !== undefined;
      const page = await fetch(isPinned ? newest.current : undefined, signal);
      const { current: limit } = newest;
      hasNewer.current = isPinned;
      if (isPinned || limit === undefined || !isScrolledDown()) return page;
      // The user scrolled down while the request was in flight.
      const older = page.rows.filter(({ id }) => id < limit);
      hasNewer.current = older.length < page.rows.length;
      return { ...page, rows: older };
    },
    rowsOf: (page) => page.rows,
  });
  const { hasNextPage, isFetching, isPlaceholderData, fetchNextPage, refetch } = query;
  useScrollAnchor(rows, isScrolledDown);
  const first = rows?.[0]?.id;
  // Before the request for a changed filter, which starts in an effect.
  useLayoutEffect(() => {
    newest.current = first === undefined || isPlaceholderData || !isNewestFirst ? undefined : justAfter(first);
  }, [first, isPlaceholderData, isNewestFirst]);

  useEffect(() => {
    const refresh = () => {
      if (isScrolledDown() || !hasNewer.current) return;
      hasNewer.current = false;
      void refetch();
    };
    window.addEventListener('scroll', refresh, { passive: true });
    return () => window.removeEventListener('scroll', refresh);
  }, [refetch]);

  const isShort = pages.length > 0 && pages.length <= MAX_AUTO_PAGES && (rows?.length ?? 0) < PAGE_ROWS;
  const isSearchingOlder = isShort && hasNextPage && !isPlaceholderData;
  useEffect(() => {
    if (isSearchingOlder && !isFetching) void fetchNextPage();
  }, [isSearchingOlder, isFetching, fetchNextPage]);

  return { query, rows, isSearchingOlder };
}

interface RowsProps<R extends Row> {
  list: ReturnType<typeof useLiveList<R>>;
  label: string;
  /** Above the rows, such as column headings. */
  names?: ReactNode;
  render: (row: R) => ReactNode;
  /** For a list without rows. */
  empty: ReactNode;
}

/** A list in all of its states: loading, failed, empty, and with rows. */
export const Rows = <R extends Row>({ list, names, empty, ...rows }: RowsProps<R>) => (
  <LoadedRows pages={list} skeleton={<SkeletonRows rows={8} />} empty={empty}>
    {(loaded) => (
      <div className={list.query.isPlaceholderData ? 'old-rows' : undefined}>
        {names}
        <List {...rows} rows={loaded} />
      </div>
    )}
  </LoadedRows>
);
