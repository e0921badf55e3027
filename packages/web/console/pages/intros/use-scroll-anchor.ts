import { useEffect, useLayoutEffect, useRef } from 'react';

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
export function useScrollAnchor(rows: unknown, isScrolledDown: () => boolean): void {
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
