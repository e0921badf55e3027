import type { TouchpointDetail } from '@foreword/contract';
import { useQueryClient } from '@tanstack/react-query';
import { load } from '../../queries.ts';

/** In the fragment of a touchpoint's address: the focus starts in the script. */
export const SCRIPT_HASH = 'script';

export const TOUCHPOINTS_QUERY = load(['touchpoints', 'list'], 'GET /touchpoints');

export const touchpointQuery = (slug: string) =>
  load(['touchpoints', 'detail', slug], 'GET /touchpoints/{slug}', { params: { slug } });

/** Stores a touchpoint that the server returned, without another request. */
export function useSetTouchpoint() {
  const queries = useQueryClient();
  return (detail: TouchpointDetail) => queries.setQueryData(touchpointQuery(detail.slug).queryKey, detail);
}
