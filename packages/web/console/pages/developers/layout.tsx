import { Outlet } from '@tanstack/react-router';
import { SubNavigation } from '../../parts/sub-navigation.tsx';
import { useMay } from '../../session.ts';
import { DEVELOPERS } from '../../texts/developers.ts';

export function DevelopersLayout() {
  const mayKeys = useMay('owner');
  const items = [
    { to: '/developers', name: DEVELOPERS.firstSteps, exact: true },
    ...(mayKeys ? [{ to: '/developers/keys', name: DEVELOPERS.keys } as const] : []),
    { to: '/developers/webhooks', name: DEVELOPERS.webhooks },
    { to: '/developers/requests', name: DEVELOPERS.requests },
    { to: '/developers/try', name: DEVELOPERS.dryRun },
  ] as const;
  return (
    <>
      <SubNavigation label={DEVELOPERS.sections} items={items} />
      <Outlet />
    </>
  );
}
