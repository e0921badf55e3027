import { useEffect, useLayoutEffect, useRef } from 'react';

interface Place {
  readonly key: string;
  readonly top: number;
}

/** The row that whoever reads has before their eyes. */
function findPlace(): Place | null {
  const row = document.elementFromPoint(innerWidth / 2, innerHeight / 3)?.closest('[data-key]');
  const key = row?.getAttribute('data-key');
  return row && key ? { key, top: row.getBoundingClientRect().top } : null;
}

/** Where rows above come or go, the ones that are being read stay in their place. Not every browser sees to that. */
export function useKeptPlace(rows: unknown, isDown: () => boolean): void {
  const place = useRef<Place | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever there are other rows.
  useLayoutEffect(() => {
    const { current: kept } = place;
    if (kept !== null && isDown()) {
      const row = document.querySelector(`[data-key="${CSS.escape(kept.key)}"]`);
      const moved = row === null ? 0 : row.getBoundingClientRect().top - kept.top;
      if (Math.abs(moved) >= 1) window.scrollBy({ top: moved, behavior: 'instant' });
    }
    place.current = findPlace();
  }, [rows, isDown]);
  useEffect(() => {
    const note = () => {
      place.current = findPlace();
    };
    window.addEventListener('scroll', note, { passive: true });
    return () => window.removeEventListener('scroll', note);
  }, []);
}
