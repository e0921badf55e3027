import { Link, type LinkProps, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

interface SubNavigationProps {
  label: string;
  items: readonly { readonly to: NonNullable<LinkProps['to']>; readonly name: string; readonly exact?: boolean }[];
}

/** The pages of one part, each with its address. */
export function SubNavigation({ label, items }: SubNavigationProps) {
  const list = useRef<HTMLElement>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page is another place in the list.
  useEffect(() => {
    const here = list.current?.querySelector<HTMLElement>('[aria-current]');
    // A phone shows only some of them at once. The page itself is not moved by this, as scrollIntoView might.
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
