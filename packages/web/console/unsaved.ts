import { useEffect } from 'react';

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
