import type { ConsoleTextLimits } from '@foreword/contract';
import { Notice } from '../../parts/notice.tsx';
import { Time } from '../../parts/time.tsx';
import { useMay } from '../../session.ts';
import { TEXT_LIMITS } from '../../texts/text-limits.ts';
import { Resume } from './resume.tsx';

interface PausedNoticeProps {
  paused: NonNullable<ConsoleTextLimits['paused']>;
  timezone: string;
}

/** Says why texts are paused. An owner can resume them. */
export function PausedNotice({ paused, timezone }: PausedNoticeProps) {
  const mayResume = useMay('owner');
  return (
    <div className="paused-texts">
      <Notice tone="bad" title={TEXT_LIMITS.pausedTitle} action={mayResume && <Resume />}>
        <p>{TEXT_LIMITS.paused(paused.reason)}</p>
        <p>
          {TEXT_LIMITS.pausedSince} <Time at={paused.at} style="dateTime" zone={timezone} />.{' '}
          {!mayResume && TEXT_LIMITS.askOwner}
        </p>
      </Notice>
    </div>
  );
}
