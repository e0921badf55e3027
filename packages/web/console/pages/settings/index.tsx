import type { HomeSettings } from '@foreword/contract';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api.ts';
import { UnsavedChanges } from '../../parts/confirm.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { useMay } from '../../session.ts';
import { SETTINGS } from '../../texts/settings.ts';
import { useDraft } from '../../use-draft.ts';
import { Erasures } from '../erasures/card.tsx';
import { OwnLikeness } from '../likeness/card.tsx';
import { fieldsOf, SETTINGS_KEY } from './draft.ts';
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

/** Both forms share one draft, so that leaving with unsaved changes asks only once. */
function OwnSettings({ settings }: { settings: HomeSettings }) {
  const draft = useDraft(fieldsOf(settings));
  return (
    <>
      <You settings={settings} />
      <Notifications draft={draft} />
      <Pace draft={draft} />
      {settings.weekly_summary !== null && <WeeklySummary isOn={settings.weekly_summary} />}
      <UnsavedChanges when={draft.isDirty} />
    </>
  );
}

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
