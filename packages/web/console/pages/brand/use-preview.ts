import type { BrandDraft, BrandPreview } from '@foreword/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { call } from '../../api.ts';

/** Long enough that a word is written, short enough to feel live. */
const PAUSE_MS = 300;
/** The page's address works for ten minutes; made anew well before. */
const FRESH_MS = 300_000;

function usePaused<T>(value: T): T {
  const [paused, setPaused] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return paused;
}

/** What the draft comes out as. While the next one comes, and where a draft cannot be shown, the last one stays. */
export function usePreview(draft: BrandDraft): { preview: BrandPreview | undefined; error: Error | null } {
  const body = usePaused(draft);
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
