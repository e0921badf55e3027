import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { useAction } from '../../queries.ts';
import { TEXT_LIMITS } from '../../texts/text-limits.ts';
import { textLimitsQuery } from './queries.ts';

export function Resume() {
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
