import { type RefObject, useEffect, useRef } from 'react';
import { ApiFailure } from './failure.ts';

/** For the form that was refused: leads to the field that has to be mended, which may be out of sight. */
export function useFocusProblem<E extends HTMLElement>(error: unknown): RefObject<E | null> {
  const form = useRef<E>(null);
  // Once it is marked.
  useEffect(() => {
    if (!(error instanceof ApiFailure) || error.field === null) return;
    form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [error]);
  return form;
}
