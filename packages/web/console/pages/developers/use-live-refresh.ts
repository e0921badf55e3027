import { useEffect } from 'react';

const REFRESH_MS = 4_000;

/** Refetches while the tab is visible and only the first page is loaded. Refetching more pages would shift the rows. */
export function useLiveRefresh(query: { refetch(): Promise<unknown>; data: unknown; isFetching: boolean }): void {
  const { pages } = (query.data ?? {}) as { pages?: readonly unknown[] };
  const hasOnePage = pages === undefined || pages.length <= 1;
  const { refetch } = query;
  useEffect(() => {
    if (!hasOnePage) return;
    const timer = setInterval(() => document.visibilityState === 'visible' && void refetch(), REFRESH_MS);
    return () => clearInterval(timer);
  }, [hasOnePage, refetch]);
}
