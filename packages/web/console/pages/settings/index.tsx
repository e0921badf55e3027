/** Settings of the organization and of the signed-in member. */

import type { HomeSettings } from '@foreword/contract';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call } from '../../api.ts';
import { UnsavedChanges } from '../../parts/confirm.tsx';
import { FormProblem, useFocusProblem } from '../../parts/form-problem.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { isWholePhone, tidyPhone } from '../../parts/phone-field.tsx';
import { SaveBar } from '../../parts/save-bar.tsx';
import { useMay } from '../../session.ts';
import { PARTS } from '../../texts/common.ts';
import { SETTINGS } from '../../texts/settings.ts';
import { useDraft } from '../../use-draft.ts';
import { Erasures } from '../erasures/card.tsx';
import { OwnLikeness } from '../likeness/card.tsx';
import { fieldsOf, SETTINGS_KEY, useSave } from './draft.ts';
import { Export } from './export.tsx';
import { LinkDomains } from './link-domains.tsx';
import { Lists } from './lists.tsx';
import { Notifications } from './notifications.tsx';
import { Pace } from './pace.tsx';
import { Passkeys } from './passkeys.tsx';
import { Retention } from './retention.tsx';
import { RequirePasskeys } from './second-factor.tsx';
import { SignIns } from './sign-ins.tsx';
import { WeeklySummary } from './weekly-summary.tsx';
import { You } from './you.tsx';

/** The settings below the photo, which are saved together. */
function Preferences({ settings }: { settings: HomeSettings }) {
  const draft = useDraft(fieldsOf(settings));
  const save = useSave(draft);
  const form = useFocusProblem<HTMLFormElement>(save.error);
  const [phoneProblem, setPhoneProblem] = useState<string>();
  const discard = () => {
    draft.discard();
    save.reset();
    setPhoneProblem(undefined);
  };
  function submit(event: FormEvent): void {
    event.preventDefault();
    const tidy = tidyPhone(draft.changes.phone ?? '');
    const isValid = tidy === '' || isWholePhone(tidy);
    setPhoneProblem(isValid ? undefined : PARTS.phoneNeedsPlus);
    if (isValid && draft.isDirty && !save.isPending) save.mutate(draft.changes);
  }
  return (
    <form ref={form} className="preferences" noValidate onSubmit={submit}>
      <Notifications draft={draft} error={save.error} phoneProblem={phoneProblem} />
      <Pace draft={draft} />
      <SaveBar changed={Object.keys(draft.changes).length} busy={save.isPending} onDiscard={discard}>
        <FormProblem error={save.error} fields={['notify_by', 'phone']} />
      </SaveBar>
      <UnsavedChanges when={draft.isDirty} />
    </form>
  );
}

const OwnSettings = ({ settings }: { settings: HomeSettings }) => (
  <>
    <You settings={settings} />
    <Preferences settings={settings} />
    {settings.weekly_summary !== null && <WeeklySummary isOn={settings.weekly_summary} />}
  </>
);

export function SettingsPage() {
  const isOwner = useMay('owner');
  const settings = useQuery({
    queryKey: SETTINGS_KEY,
    queryFn: ({ signal }) => call('GET /home/settings', {}, signal),
  });
  return (
    <>
      <PageHeader title={SETTINGS.title} />
      <Loaded query={settings}>{(settings) => <OwnSettings settings={settings} />}</Loaded>
      <OwnLikeness />
      <Lists />
      <Passkeys />
      {isOwner && <RequirePasskeys />}
      <SignIns />
      {isOwner && <LinkDomains />}
      {isOwner && <Retention />}
      {isOwner && <Export />}
      {isOwner && <Erasures />}
    </>
  );
}
