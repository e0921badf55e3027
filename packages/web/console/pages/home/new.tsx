import type { HomeEvent, HomeTouchpoint } from '@foreword/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { NEW_INTRO } from '../../texts/home.ts';
import { Following } from './following.tsx';
import { type Draft, NewForm } from './new-form.tsx';

function NewIntro({ touchpoints, timezone }: { touchpoints: readonly HomeTouchpoint[]; timezone: string }) {
  const [only, another] = touchpoints;
  const [draft, setDraft] = useState<Draft>({
    touchpoint: only !== undefined && another === undefined ? only.slug : '',
    firstName: '',
    lastName: '',
    phone: '',
    appointment: '',
  });
  const [begun, setBegun] = useState<HomeEvent | null>(null);
  if (only === undefined) {
    return (
      <EmptyState icon="moment" title={NEW_INTRO.noneTitle}>
        {NEW_INTRO.none}
      </EmptyState>
    );
  }
  if (begun !== null) {
    return <Following begun={begun} firstName={draft.firstName.trim()} onChange={() => setBegun(null)} />;
  }
  return <NewForm touchpoints={touchpoints} timezone={timezone} draft={draft} onChange={setDraft} onBegun={setBegun} />;
}

/** An intro that a member begins by hand. */
export function NewIntroPage() {
  const offered = useQuery({
    queryKey: ['touchpoints', 'home'],
    queryFn: ({ signal }) => call('GET /home/touchpoints', {}, signal),
  });
  return (
    <>
      <PageHeader title={NEW_INTRO.title} lead={NEW_INTRO.lead} back={{ to: '/home', name: NEW_INTRO.home }} />
      <Loaded query={offered}>
        {({ touchpoints, timezone }) => <NewIntro touchpoints={touchpoints} timezone={timezone} />}
      </Loaded>
    </>
  );
}
