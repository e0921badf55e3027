import type { TouchpointDetail } from '@foreword/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { load } from '../../queries.ts';

/** In the fragment of a touchpoint's address: the focus starts in the script. */
export const SCRIPT_HASH = 'script';

export const detailKey = (slug: string) => ['touchpoints', 'detail', slug] as const;

export const useTouchpoints = () => useQuery(load(['touchpoints', 'list'], 'GET /touchpoints'));

export const useTouchpoint = (slug: string) =>
  useQuery(load(detailKey(slug), 'GET /touchpoints/{slug}', { params: { slug } }));

/** Stores a touchpoint that the server returned, without another request. */
export function useSetTouchpoint() {
  const queries = useQueryClient();
  return (detail: TouchpointDetail) => queries.setQueryData(detailKey(detail.slug), detail);
}
