import { ApiFailure } from '../failure.ts';
import { FAILURE } from '../texts/common.ts';
import { Button } from './button.tsx';

interface ErrorStateProps {
  error: unknown;
  /** Left out where trying again is no use. */
  retry?: () => void;
  busy?: boolean;
}

/** In the place of what did not load: what happened, and what one can do. */
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
