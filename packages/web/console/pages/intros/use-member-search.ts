import { useQuery } from '@tanstack/react-query';
import { call } from '../../api.ts';

export function useMemberSearch(q: string, options: { readonly active: boolean; readonly enabled?: boolean }) {
  return useQuery({
    enabled: options.enabled ?? true,
    queryKey: ['members', 'choose', q, options.active],
    queryFn: ({ signal }) =>
      call(
        'GET /members',
        { query: { limit: 20, ...(q !== '' && { q }), ...(options.active && { active: true }) } },
        signal,
      ),
    placeholderData: (earlier) => earlier,
  });
}
