import { useQuery } from '@tanstack/react-query';
import { call } from '../../api.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { SETTINGS } from '../../texts/settings.ts';
import { Pace } from './pace.tsx';
import { Places } from './places.tsx';
import { Telling } from './telling.tsx';
import { You } from './you.tsx';

export function SettingsPage() {
  const settings = useQuery({
    queryKey: ['members', 'self'],
    queryFn: ({ signal }) => call('GET /home/settings', {}, signal),
  });
  return (
    <>
      <PageHeader title={SETTINGS.title} />
      <Loaded query={settings}>
        {(mine) => (
          <>
            <You settings={mine} />
            <Telling settings={mine} />
            <Pace settings={mine} />
          </>
        )}
      </Loaded>
      <Places />
    </>
  );
}
