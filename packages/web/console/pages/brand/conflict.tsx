import type { Brand } from '@foreword/contract';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { Notice } from '../../parts/notice.tsx';
import { BRAND } from '../../texts/brand.ts';
import { differences } from './draft.ts';

interface ConflictProps {
  /** What was edited. */
  base: Brand;
  onSettled: (theirs: Brand, takesTheirs: boolean) => void;
}

/** Says what the other one changed, and leaves it to the reader whose version is gone on with. */
export function Conflict({ base, onSettled }: ConflictProps) {
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['brand-theirs', base.version],
    queryFn: ({ signal }) => call('GET /brand', undefined, signal),
    staleTime: 0,
    gcTime: 0,
  });
  if (error !== null) return <ErrorState error={error} retry={() => void refetch()} busy={isFetching} />;
  const fields = data === undefined ? [] : differences(base, data).map(BRAND.fieldName);
  return (
    <Notice tone="warn" title={BRAND.conflictTitle} live>
      <p>{BRAND.conflict(fields)}</p>
      {data !== undefined && (
        <div className="form-actions brand-conflict">
          <Button kind="quiet" small onClick={() => onSettled(data, true)}>
            {BRAND.takeTheirs}
          </Button>
          <Button kind="quiet" small onClick={() => onSettled(data, false)}>
            {BRAND.keepMine}
          </Button>
        </div>
      )}
    </Notice>
  );
}
