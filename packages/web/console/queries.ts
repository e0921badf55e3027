import type { ConsoleKey } from '@foreword/contract';
import { QueryClient, type QueryKey, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiFailure, type CallArguments, call, isTemporary } from './api.ts';
import { showToast } from './parts/overlays.tsx';
import { FAILURE } from './texts.ts';

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

/** The query for the response of an operation. Its key starts with the topic that refetches it. */
export const load = <K extends ConsoleKey>(queryKey: QueryKey, operation: K, ...[input]: CallArguments<K>) =>
  queryOptions({
    queryKey,
    queryFn: ({ signal }) => call(operation, ...([input ?? {}, signal] as unknown as CallArguments<K>)),
  });

export interface ActionOptions<Input, Output> {
  readonly run: (input: Input) => Promise<Output>;
  /** Topics to refetch on success. */
  readonly topics?: readonly (Topic | string)[] | undefined;
  /** The toast shown on success. */
  readonly done?: string | ((output: Output, input: Input) => string) | undefined;
  readonly onDone?: ((output: Output, input: Input) => void) | undefined;
  /** The page shows failures itself, as forms do next to their fields. Otherwise a toast shows them. */
  readonly showsFailure?: boolean;
}

/** A mutation with a toast for its result; refetches what it changed. */
export function useAction<Input = void, Output = unknown>(options: ActionOptions<Input, Output>) {
  const queries = useQueryClient();
  return useMutation<Output, Error, Input>({
    mutationFn: options.run,
    async onSuccess(output, input) {
      if (options.done !== undefined) {
        showToast({ text: typeof options.done === 'string' ? options.done : options.done(output, input) });
      }
      options.onDone?.(output, input);
      await Promise.all((options.topics ?? []).map((topic) => refresh(queries, topic)));
    },
    onError(error) {
      if (options.showsFailure === true) return;
      showToast({ kind: 'bad', text: error instanceof ApiFailure ? error.message : FAILURE.unknown });
    },
  });
}

/** Shared by all pages that show this member, so that they use one cache entry. */
export const memberQuery = (id: string) => load(['members', 'one', id], 'GET /members/{id}', { params: { id } });
