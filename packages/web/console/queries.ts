import { QueryClient } from '@tanstack/react-query';
import { isPassing } from './failure.ts';

/** What the server says has changed. Each query's key begins with one of them: `['members', …]`. */
export type Topic = 'intros' | 'touchpoints' | 'members' | 'webhooks' | 'organization';

/** Live messages say when something changed; this only bounds what is asked again when one walks to and fro. */
const FRESH_MS = 15_000;
const KEPT_MS = 600_000;
const RETRIES = 4;
const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 8_000;

/** Who is signed in is one of the members, and belongs to the organization. */
const OF_SESSION: readonly string[] = ['members', 'organization'] satisfies readonly Topic[];

/** Has all that a change makes old read again. */
export const renew = (queries: QueryClient, topic: string): Promise<void> =>
  queries.invalidateQueries({
    predicate: ({ queryKey: [kind] }) => kind === topic || (kind === 'session' && OF_SESSION.includes(topic)),
  });

export const createQueries = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        gcTime: KEPT_MS,
        retry: (failures, error) => failures < RETRIES && isPassing(error),
        retryDelay: (failures) => Math.min(FIRST_RETRY_MS * 2 ** failures, LONGEST_RETRY_MS),
      },
      // Not tried again by itself: what it did the first time is not known. Nor held back while offline, to happen when
      // nobody thinks of it any more.
      mutations: { retry: false, networkMode: 'always' },
    },
  });
