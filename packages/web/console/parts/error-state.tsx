import { ApiFailure } from '../failure.ts';
import { FAILURE } from '../texts/common.ts';
import { Button } from './button.tsx';

interface ErrorStateProps {
  error: unknown;
  /** Leave out where a retry can't help. */
  retry?: () => void;
  busy?: boolean;
}

/** Replaces content that failed to load: says what happened and offers a retry. */
export function ErrorState({ error, retry, busy = false }: ErrorStateProps) {
  const failure = error instanceof ApiFailure ? error : null;
  return (
    <div className="state" role="alert">
      <h2>{FAILURE.title}</h2>
      <p>{failure?.message ?? FAILURE.unknown}</p>
      {typeof failure?.requestId === 'string' && <p className="state-small">{FAILURE.requestId(failure.requestId)}</p>}
      {retry !== undefined && (
        <Button kind="quiet" busy={busy} onClick={retry}>
          {FAILURE.tryAgain}
        </Button>
      )}
    </div>
  );
}
