import { QueryClient } from '@tanstack/react-query';
import { isTemporary } from './failure.ts';

/** The topics of live updates. A query key starts with the topic it depends on: `['members', …]`. */
export type Topic = 'intros' | 'touchpoints' | 'members' | 'webhooks' | 'organization';

/** Live updates report changes; this only limits refetching while the user moves between pages. */
const FRESH_MS = 15_000;
const CACHE_MS = 600_000;
const RETRIES = 4;
const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 8_000;

/** Topics that also affect the session: it shows a member and the organization. */
const SESSION_TOPICS: readonly string[] = ['members', 'organization'] satisfies readonly Topic[];

/** Refetches the queries that depend on the topic. */
export const refresh = (queries: QueryClient, topic: string): Promise<void> =>
  queries.invalidateQueries({
    predicate: ({ queryKey: [kind] }) => kind === topic || (kind === 'session' && SESSION_TOPICS.includes(topic)),
  });

export const createQueries = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        gcTime: CACHE_MS,
        retry: (failures, error) => failures < RETRIES && isTemporary(error),
        retryDelay: (failures) => Math.min(FIRST_RETRY_MS * 2 ** failures, LONGEST_RETRY_MS),
      },
      // No automatic retry: the first request may have succeeded. No queueing while offline: a request must not run
      // long after the user made it.
      mutations: { retry: false, networkMode: 'always' },
    },
  });
