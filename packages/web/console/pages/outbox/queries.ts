import type { ConsoleBody } from '@foreword/contract';
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../api.ts';
import { load, useAction } from '../../queries.ts';

/** The topic `organization` refreshes it, even when the texts are paused. */
export const textLimitsQuery = load(['organization', 'text-limits'], 'GET /text-limits');

/** Asks the carrier, so it is not refreshed while the page is open. */
export const registrationQuery = load(['text-registration'], 'GET /text-limits/registration');

interface LimitsChange {
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
