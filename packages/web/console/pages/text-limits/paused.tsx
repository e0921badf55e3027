import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { loadWhenReachable } from '../../api.ts';
import { Notice } from '../../parts/notice.tsx';
import { Time } from '../../parts/time.tsx';
import { useMay } from '../../session.ts';
import { TEXT_LIMITS } from '../../texts/text-limits.ts';
import { textLimitsQuery } from './queries.ts';

/** Loaded only while texts are paused, because its dialog is large and the overview is the first page. */
const Resume = lazy(async () => ({ default: (await loadWhenReachable(() => import('./resume.tsx'))).Resume }));

/** Shown on pages about texts while they are paused. An owner can resume them. */
export function PausedTexts() {
  const { data } = useQuery(textLimitsQuery);
  const mayResume = useMay('owner');
  if (data === undefined || data.paused === null) return null;
  const { paused, timezone } = data;
  return (
    <div className="paused-texts">
      <Notice
        tone="bad"
        title={TEXT_LIMITS.pausedTitle}
        action={
          mayResume && (
            <Suspense>
              <Resume />
            </Suspense>
          )
        }
      >
        <p>{TEXT_LIMITS.paused(paused.reason)}</p>
        <p>
          {TEXT_LIMITS.pausedSince} <Time at={paused.at} style="dateTimeZone" zone={timezone} />.{' '}
          {!mayResume && TEXT_LIMITS.askOwner}
        </p>
      </Notice>
    </div>
  );
}
