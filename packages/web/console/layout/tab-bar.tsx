import { Link, useRouterState } from '@tanstack/react-router';
import { type RefObject, useEffect, useRef } from 'react';
import { Icon } from '../parts/icon.tsx';
import { FRAME, NAV } from '../texts/common.ts';
import { isInSection, Navigation } from './navigation.tsx';

const TABS = [
  { to: '/overview', name: NAV.overview, icon: 'chart' },
  { to: '/intros', name: NAV.intros, icon: 'video' },
  { to: '/touchpoints', name: NAV.touchpoints, icon: 'moment' },
  { to: '/members', name: NAV.members, icon: 'people' },
] as const;

/** The pages used daily, at the bottom of a phone's screen, and a menu with all pages. */
export function TabBar() {
  const menu = useRef<HTMLDialogElement>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: closes the menu when the page changes.
  useEffect(() => menu.current?.close(), [path]);
  return (
    <>
      <nav className="tab-bar" aria-label={FRAME.tabs}>
        {TABS.map(({ to, name, icon }) => (
          <Link key={to} to={to} className="tab-bar-item" {...(isInSection(path, to) && { 'aria-current': 'page' })}>
            <Icon name={icon} />
            <span>{name}</span>
          </Link>
        ))}
        <button type="button" className="tab-bar-item" aria-haspopup="dialog" onClick={() => menu.current?.showModal()}>
          <Icon name="menu" />
          <span>{FRAME.openMenu}</span>
        </button>
      </nav>
      <Menu dialog={menu} />
    </>
  );
}

/**
 * Uses the browser's dialog, which handles focus and Escape: a library's dialog would have to load with the first page.
 */
const Menu = ({ dialog }: { dialog: RefObject<HTMLDialogElement | null> }) => (
  // biome-ignore lint/a11y/useKeyWithClickEvents: closes on a tap outside the menu; the keyboard has Escape.
  <dialog
    ref={dialog}
    className="sheet"
    aria-label={FRAME.openMenu}
    onClick={(event) => event.target === event.currentTarget && event.currentTarget.close()}
  >
    <div className="sheet-body">
      <form method="dialog" className="sheet-close">
        <button type="submit" className="icon-button" aria-label={FRAME.closeMenu}>
          <Icon name="close" />
        </button>
      </form>
      <Navigation />
    </div>
  </dialog>
);
