import type { TouchpointDetail, TouchpointList } from '@foreword/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api.ts';

const LIST = ['touchpoints', 'list'] as const;
const detailKey = (slug: string) => ['touchpoints', 'detail', slug] as const;

export const readTouchpoint = (slug: string, signal?: AbortSignal): Promise<TouchpointDetail> =>
  call('GET /touchpoints/:slug', { params: { slug } }, signal);

export const useTouchpoints = () =>
  useQuery({ queryKey: LIST, queryFn: ({ signal }) => call('GET /touchpoints', {}, signal) });

export const useTouchpoint = (slug: string) =>
  useQuery({ queryKey: detailKey(slug), queryFn: ({ signal }) => readTouchpoint(slug, signal) });

/** Writes what is known already into what is shown, before or instead of asking again. */
export function useKnown() {
  const queries = useQueryClient();
  return {
    keep: (detail: TouchpointDetail) => queries.setQueryData(detailKey(detail.slug), detail),
    /** Gives what takes it back. */
    foresee(change: (list: TouchpointList) => TouchpointList): () => void {
      const before = queries.getQueryData<TouchpointList>(LIST);
      void queries.cancelQueries({ queryKey: LIST });
      if (before !== undefined) queries.setQueryData(LIST, change(before));
      return () => queries.setQueryData(LIST, before);
    },
    async readAgain(): Promise<void> {
      await queries.invalidateQueries({ queryKey: ['touchpoints'] });
    },
  };
}
