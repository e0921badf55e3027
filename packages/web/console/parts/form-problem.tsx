import { type RefObject, useEffect, useRef } from 'react';
import { ApiFailure, otherProblem } from '../failure.ts';
import { Notice } from './notice.tsx';

/** The form's error, unless one of these fields shows it. Placed above the buttons. */
export function FormProblem({ error, fields }: { error: unknown; fields: readonly string[] }) {
  const problem = otherProblem(error, fields);
  return problem === undefined ? null : (
    <Notice tone="bad" live>
      {problem}
    </Notice>
  );
}

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
