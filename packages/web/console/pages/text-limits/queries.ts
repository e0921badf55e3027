import type { ConsoleBody } from '@foreword/contract';
import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api.ts';
import { useAction } from '../../queries.ts';

/** The topic `organization` refreshes it, even when the texts are paused. */
export const textLimitsQuery = queryOptions({
  queryKey: ['organization', 'text-limits'],
  queryFn: ({ signal }) => call('GET /text-limits', undefined, signal),
});

/** Asks the carrier, so it is not refreshed while the page is open. */
export const registrationQuery = queryOptions({
  queryKey: ['text-registration'],
  queryFn: ({ signal }) => call('GET /text-limits/registration', undefined, signal),
});

export interface LimitsChange {
  readonly body: ConsoleBody<'POST /text-limits'>;
  readonly done: string;
}

export function useChangeLimits() {
  const queries = useQueryClient();
  return useAction({
    run: ({ body }: LimitsChange) => call('POST /text-limits', { body }),
    done: (_limits, { done }) => done,
    onDone: (limits) => queries.setQueryData(textLimitsQuery.queryKey, limits),
  });
}
