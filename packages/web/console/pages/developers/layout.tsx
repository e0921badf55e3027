import { Link, type LinkProps, Outlet, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useMay } from '../../session.ts';
import { DEVELOPERS } from './texts.ts';

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

interface SubNavigationProps {
  label: string;
  items: readonly { readonly to: NonNullable<LinkProps['to']>; readonly name: string; readonly exact?: boolean }[];
}

/** Links to the pages of one section. */
function SubNavigation({ label, items }: SubNavigationProps) {
  const list = useRef<HTMLElement>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls to the current item when the page changes.
  useEffect(() => {
    const here = list.current?.querySelector<HTMLElement>('[aria-current]');
    // On a phone the list scrolls. scrollIntoView might also scroll the page.
    if (list.current && here) {
      list.current.scrollLeft =
        here.offsetLeft - list.current.offsetLeft - (list.current.clientWidth - here.offsetWidth) / 2;
    }
  }, [path]);
  return (
    <nav ref={list} className="tab-list" aria-label={label}>
      {items.map(({ to, name, exact = false }) => (
        <Link key={to} to={to} className="tab" activeOptions={{ exact }} activeProps={{ 'aria-current': 'page' }}>
          {name}
        </Link>
      ))}
    </nav>
  );
}
