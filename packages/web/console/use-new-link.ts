import { useRouterState } from '@tanstack/react-router';
import { useEffect } from 'react';

/** Opens a page's dialog for a new object when a link to the page ends with `#new`, each time it is followed. */
export function useNewLink(open: () => void): void {
  const key = useRouterState({
    select: ({ location }) => (location.hash === 'new' ? (location.state.__TSR_key ?? 'first') : undefined),
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: opens once per visit, not on each render.
  useEffect(() => {
    if (key !== undefined) open();
  }, [key]);
}
