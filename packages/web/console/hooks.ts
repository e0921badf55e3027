import { useRouterState } from '@tanstack/react-router';
import { useEffect, useState } from 'react';

let forms = 0;

/** Whether leaving the page would lose input. */
export const hasUnsaved = (): boolean => forms > 0;

/** While `when` is true, an expired session does not redirect to the sign-in page. */
export function useUnsaved(when: boolean): void {
  useEffect(() => {
    if (!when) return;
    forms += 1;
    return () => {
      forms -= 1;
    };
  }, [when]);
}

/** Returns the value once it has not changed for `ms`. */
export function useDebounced<T>(value: T, ms: number): T {
  const [debounced, setDebounced] = useState(value);
  const isSame = JSON.stringify(debounced) === JSON.stringify(value);
  useEffect(() => {
    if (isSame) return;
    const timer = setTimeout(() => setDebounced(value), ms);
    return () => clearTimeout(timer);
  }, [isSame, value, ms]);
  return debounced;
}

/** Opens a dialog of a page when a link to the page ends with its hash, each time it is followed. */
export function useLinkedDialog(open: (hash: string) => void): void {
  const link = useRouterState({
    select: ({ location: { hash, state } }) => (hash === '' ? '' : `${hash} ${state.__TSR_key ?? 'first'}`),
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: opens once per visit, not on each render.
  useEffect(() => {
    const [hash = ''] = link.split(' ');
    if (hash !== '') open(hash);
  }, [link]);
}

/** Whether a page's dialog for a new object is open. A link to the page that ends with `#new` opens it. */
export function useNewDialog() {
  const state = useState(false);
  const [, setOpen] = state;
  useLinkedDialog((hash) => hash === 'new' && setOpen(true));
  return state;
}

/** The color scheme of a preview of the recipient page. */
export type Scheme = 'light' | 'dark';

export const systemScheme = (): Scheme =>
  window.matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
