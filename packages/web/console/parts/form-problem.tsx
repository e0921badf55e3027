import { otherProblem } from '../failure.ts';
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
