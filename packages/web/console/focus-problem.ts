import { type RefObject, useEffect, useRef } from 'react';
import { ApiFailure } from './failure.ts';

/** After a rejected form, focuses the invalid field, which may be out of view. */
export function useFocusProblem<E extends HTMLElement>(error: unknown): RefObject<E | null> {
  const form = useRef<E>(null);
  // Runs after the field is marked as invalid.
  useEffect(() => {
    if (!(error instanceof ApiFailure) || error.field === null) return;
    form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [error]);
  return form;
}
