import type { HomeEvent, HomeTouchpoint } from '@foreword/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api.ts';
import { EmptyState, Loaded } from '../../parts/loaded.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { NEW_INTRO } from '../../texts/home.ts';
import { type Draft, NewForm } from './new-form.tsx';
import { Progress } from './progress.tsx';

function NewIntro({ touchpoints, timezone }: { touchpoints: readonly HomeTouchpoint[]; timezone: string }) {
  const [only, another] = touchpoints;
  const [draft, setDraft] = useState<Draft>({
    touchpoint: only !== undefined && another === undefined ? only.slug : '',
    firstName: '',
    lastName: '',
    phone: '',
    appointment: '',
  });
  const [started, setStarted] = useState<HomeEvent | null>(null);
  if (only === undefined) {
    return (
      <EmptyState icon="moment" title={NEW_INTRO.noneTitle}>
        {NEW_INTRO.none}
      </EmptyState>
    );
  }
  if (started !== null) {
    return <Progress started={started} firstName={draft.firstName.trim()} onChange={() => setStarted(null)} />;
  }
  return (
    <NewForm touchpoints={touchpoints} timezone={timezone} draft={draft} onChange={setDraft} onStarted={setStarted} />
  );
}

/** Lets a member start an intro without an event from an integration. */
export function NewIntroPage() {
  const touchpoints = useQuery({
    queryKey: ['touchpoints', 'home'],
    queryFn: ({ signal }) => call('GET /home/touchpoints', {}, signal),
  });
  return (
    <>
      <PageHeader title={NEW_INTRO.title} lead={NEW_INTRO.lead} back={{ to: '/home', name: NEW_INTRO.home }} />
      <Loaded query={touchpoints}>
        {({ touchpoints, timezone }) => <NewIntro touchpoints={touchpoints} timezone={timezone} />}
      </Loaded>
    </>
  );
}
