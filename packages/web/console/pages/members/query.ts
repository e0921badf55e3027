import { queryOptions } from '@tanstack/react-query';
import { call } from '../../api.ts';

/** Shared by all pages that show this member, so that they use one cache entry. */
export const memberQuery = (id: string) =>
  queryOptions({
    queryKey: ['members', 'one', id],
    queryFn: ({ signal }) => call('GET /members/:id', { params: { id } }, signal),
  });
