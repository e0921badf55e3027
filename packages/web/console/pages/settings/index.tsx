import type { HomeSettings } from '@foreword/contract';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { UnsavedChanges } from '../../parts/unsaved-changes.tsx';
import { SETTINGS } from '../../texts/settings.ts';
import { useTouched } from '../../touched.ts';
import { ownOf, SETTINGS_KEY } from './draft.ts';
import { Pace } from './pace.tsx';
import { Places } from './places.tsx';
import { Telling } from './telling.tsx';
import { You } from './you.tsx';

/** Both forms have one draft, so that who leaves is asked once. */
function Mine({ settings }: { settings: HomeSettings }) {
  const draft = useTouched(ownOf(settings));
  return (
    <>
      <You settings={settings} />
      <Telling draft={draft} />
      <Pace draft={draft} />
      <UnsavedChanges when={draft.isDirty} />
    </>
  );
}

export function SettingsPage() {
  const settings = useQuery({
    queryKey: SETTINGS_KEY,
    queryFn: ({ signal }) => call('GET /home/settings', {}, signal),
  });
  return (
    <>
      <PageHeader title={SETTINGS.title} />
      <Loaded query={settings}>{(settings) => <Mine settings={settings} />}</Loaded>
      <Places />
    </>
  );
}
