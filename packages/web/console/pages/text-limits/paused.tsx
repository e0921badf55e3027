import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Notice } from '../../parts/notice.tsx';
import { Time } from '../../parts/time.tsx';
import { useAction } from '../../queries.ts';
import { useMay } from '../../session.ts';
import { TEXT_LIMITS } from '../../texts/text-limits.ts';
import { textLimitsQuery } from './queries.ts';

function Resume() {
  const [isOpen, setOpen] = useState(false);
  const queries = useQueryClient();
  const resume = useAction({
    run: () => call('POST /text-limits/resume'),
    done: TEXT_LIMITS.resumed,
    showsFailure: true,
    topics: ['intros'],
    onDone: (limits) => queries.setQueryData(textLimitsQuery.queryKey, limits),
  });
  return (
    <>
      <Button kind="quiet" small onClick={() => setOpen(true)}>
        {TEXT_LIMITS.resume}
      </Button>
      <Confirm
        open={isOpen}
        onOpenChange={setOpen}
        title={TEXT_LIMITS.resumeTitle}
        action={TEXT_LIMITS.resume}
        busy={resume.isPending}
        error={resume.error}
        onConfirm={() => resume.mutate()}
      >
        {TEXT_LIMITS.resumeLead}
      </Confirm>
    </>
  );
}

/** Shown on pages about texts while they are paused. An owner can resume them. */
export function PausedTexts() {
  const { data } = useQuery(textLimitsQuery);
  const mayResume = useMay('owner');
  if (data === undefined || data.paused === null) return null;
  const { paused, timezone } = data;
  return (
    <div className="paused-texts">
      <Notice tone="bad" title={TEXT_LIMITS.pausedTitle} action={mayResume && <Resume />}>
        <p>{TEXT_LIMITS.paused(paused.reason)}</p>
        <p>
          {TEXT_LIMITS.pausedSince} <Time at={paused.at} style="dateTimeZone" zone={timezone} />.{' '}
          {!mayResume && TEXT_LIMITS.askOwner}
        </p>
      </Notice>
    </div>
  );
}
