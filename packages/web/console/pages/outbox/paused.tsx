import type { ConsoleTextLimits } from '@foreword/contract';
import { type QueryKey, queryOptions, useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { call } from '../../api.ts';
import { lazyComponent } from '../../lazy.ts';

/** Loaded only while texts wait, because the overview is the first page. */
const TextNotices = lazyComponent(() => import('./paused-notices.tsx'), 'TextNotices');

/** Texts are paused, or the account with the carrier has a fault. */
export const areTextsStopped = (limits?: ConsoleTextLimits): limits is ConsoleTextLimits =>
  limits !== undefined && (limits.paused !== null || limits.account.faults.length > 0);

/** The topic `organization` refreshes it, even when the texts are paused. Its notices come with it, so that they move nothing. */
export const textLimitsQuery = queryOptions({
  queryKey: ['organization', 'text-limits'] as QueryKey,
  async queryFn({ signal }) {
    const limits = await call('GET /text-limits', {}, signal);
    if (areTextsStopped(limits)) await TextNotices.preload?.();
    return limits;
  },
});

/** Shown on pages about texts while they are paused, or their account cannot send. */
export function PausedTexts() {
  const { data } = useQuery(textLimitsQuery);
  return (
    areTextsStopped(data) && (
      <Suspense>
        <TextNotices limits={data} />
      </Suspense>
    )
  );
}
