import { useEffect } from 'react';

const LOOK_MS = 4_000;

/** Reads again while somebody looks, and as long as only the newest are shown: what one has gone back to stays where it is. */
export function useSteadyRefresh(query: { refetch(): Promise<unknown>; data: unknown; isFetching: boolean }): void {
  const { pages } = (query.data ?? {}) as { pages?: readonly unknown[] };
  const isFirst = pages === undefined || pages.length <= 1;
  const { refetch } = query;
  useEffect(() => {
    if (!isFirst) return;
    const timer = setInterval(() => document.visibilityState === 'visible' && void refetch(), LOOK_MS);
    return () => clearInterval(timer);
  }, [isFirst, refetch]);
}
