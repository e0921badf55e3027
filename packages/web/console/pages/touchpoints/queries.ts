import type { TouchpointDetail, TouchpointList } from '@foreword/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { load, refresh } from '../../queries.ts';

/** In the fragment of a touchpoint's address: the focus starts in the script. */
export const SCRIPT_HASH = 'script';

const LIST = ['touchpoints', 'list'] as const;
export const detailKey = (slug: string) => ['touchpoints', 'detail', slug] as const;

export const useTouchpoints = () => useQuery(load(LIST, 'GET /touchpoints'));

export const useTouchpoint = (slug: string) =>
  useQuery(load(detailKey(slug), 'GET /touchpoints/{slug}', { params: { slug } }));

/** Updates the query cache directly, without waiting for a request. */
export function useTouchpointCache() {
  const queries = useQueryClient();
  return {
    setDetail: (detail: TouchpointDetail) => queries.setQueryData(detailKey(detail.slug), detail),
    /** Changes the list at once. Returns a function that rolls the change back. */
    updateList(change: (list: TouchpointList) => TouchpointList): () => void {
      const before = queries.getQueryData<TouchpointList>(LIST);
      void queries.cancelQueries({ queryKey: LIST });
      if (before !== undefined) queries.setQueryData(LIST, change(before));
      return () => queries.setQueryData(LIST, before);
    },
    invalidate: () => refresh(queries, 'touchpoints'),
  };
}
