import { useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { lazyComponent } from '../../lazy.ts';
import { textLimitsQuery } from './queries.ts';

/** Loaded only while texts wait, because the overview is the first page. */
const PausedNotice = lazyComponent(() => import('./paused-notices.tsx'), 'PausedNotice');
const AccountNotice = lazyComponent(() => import('./paused-notices.tsx'), 'AccountNotice');

/** Shown on pages about texts while they are paused, or their account cannot send. */
export function PausedTexts() {
  const { data } = useQuery(textLimitsQuery);
  if (data === undefined) return null;
  const { paused, account, timezone } = data;
  return (
    <>
      {paused !== null && (
        <Suspense>
          <PausedNotice paused={paused} timezone={timezone} />
        </Suspense>
      )}
      {account.faults.length > 0 && (
        <Suspense>
          <AccountNotice account={account} timezone={timezone} />
        </Suspense>
      )}
    </>
  );
}
