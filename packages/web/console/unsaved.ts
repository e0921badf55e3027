import { useEffect } from 'react';

let held = 0;

/** Whether something on the page would be gone with it. */
export const hasUnsaved = (): boolean => held > 0;

/** While `when` holds, no answer of the server leads away from the page. */
export function useUnsaved(when: boolean): void {
  useEffect(() => {
    if (!when) return;
    held += 1;
    return () => {
      held -= 1;
    };
  }, [when]);
}
