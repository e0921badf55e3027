import { queryOptions } from '@tanstack/react-query';
import { call } from '../../api.ts';

/** One member, kept in one place for every page that shows them. */
export const memberQuery = (id: string) =>
  queryOptions({
    queryKey: ['members', 'one', id],
    queryFn: ({ signal }) => call('GET /members/:id', { params: { id } }, signal),
  });
