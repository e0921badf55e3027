import type { BrandDraft, BrandPreview } from '@foreword/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { call } from '../../api.ts';
import { useDebounced } from '../../use-debounced.ts';

/** Longer than the pause between two letters, but short enough to feel live. */
const PAUSE_MS = 300;
/** The preview link works for ten minutes, so it is renewed well before. */
const FRESH_MS = 300_000;

/** Previews the draft. The last preview stays while the next one loads and when the draft is invalid. */
export function usePreview(fields: BrandDraft): { preview: BrandPreview | undefined; error: Error | null } {
  const body = useDebounced(fields, PAUSE_MS);
  const [last, setLast] = useState<BrandPreview>();
  const { data, error } = useQuery({
    queryKey: ['brand-preview', body],
    queryFn: ({ signal }) => call('POST /brand/preview', { body }, signal),
    placeholderData: keepPreviousData,
    staleTime: FRESH_MS,
    refetchInterval: FRESH_MS,
    gcTime: FRESH_MS,
  });
  useEffect(() => {
    if (data !== undefined) setLast(data);
  }, [data]);
  return { preview: data ?? last, error };
}
