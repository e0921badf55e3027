import { otherProblem } from '../failure.ts';
import { Notice } from './notice.tsx';

/** Above the buttons of a form: what failed, unless one of its fields says so. */
export function FormProblem({ error, fields }: { error: unknown; fields: readonly string[] }) {
  const problem = otherProblem(error, fields);
  return problem === undefined ? null : (
    <Notice tone="bad" live>
      {problem}
    </Notice>
  );
}
