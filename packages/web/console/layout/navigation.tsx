import type { Role } from '@foreword/contract';
import { Link, useRouterState } from '@tanstack/react-router';
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { ApiFailure, call, isSignedOut } from '../api.ts';
import { formatName } from '../format.ts';
import { Avatar, Icon, type IconName } from '../parts/display.tsx';
import { showToast } from '../parts/toasts.tsx';
import { mayActAs, useSession } from '../session.ts';
import { FAILURE, FRAME, NAV } from '../texts.ts';

interface NavItem {
  readonly to:
    | '/home'
    | '/overview'
    | '/intros'
    | '/touchpoints'
    | '/members'
    | '/brand'
    | '/developers'
    | '/outbox'
    | '/activity';
  readonly name: string;
  readonly icon: IconName;
  readonly minRole: Role;
}

/** The items in their groups, in display order. */
const GROUPS: readonly (readonly NavItem[])[] = [
  [
    { to: '/overview', name: NAV.overview, icon: 'chart', minRole: 'manager' },
    { to: '/intros', name: NAV.intros, icon: 'video', minRole: 'manager' },
    { to: '/touchpoints', name: NAV.touchpoints, icon: 'moment', minRole: 'manager' },
    { to: '/members', name: NAV.members, icon: 'people', minRole: 'manager' },
  ],
  [
    { to: '/brand', name: NAV.brand, icon: 'brand', minRole: 'manager' },
    { to: '/developers', name: NAV.developers, icon: 'code', minRole: 'manager' },
    { to: '/outbox', name: NAV.outbox, icon: 'tray', minRole: 'manager' },
    { to: '/activity', name: NAV.activity, icon: 'clock', minRole: 'manager' },
  ],
  [{ to: '/home', name: NAV.home, icon: 'home', minRole: 'member' }],
];

const navItemsFor = (role: Role): readonly (readonly NavItem[])[] =>
  GROUPS.map((group) => group.filter(({ minRole }) => mayActAs(role, minRole))).filter((group) => group.length > 0);

/** The organization's logo or name; links to the start page. */
export function Organization() {
  const { name, logo_url } = useSession().organization;
  return (
    <Link to="/" className="organization">
      {logo_url === null ? <span className="organization-name">{name}</span> : <img src={logo_url} alt={name} />}
    </Link>
  );
}

/** The list of intros leads to the pages of events. */
const isInSection = (path: string, section: string): boolean =>
  path === section || path.startsWith(`${section}/`) || (section === '/intros' && path.startsWith('/events/'));

const CURRENT = { className: 'nav-item nav-current', 'aria-current': 'page' } as const;

/** Used by the desktop sidebar, with a search button, and the phone menu. */
export function Navigation({ search }: { search?: ReactNode }) {
  const { member } = useSession();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  return (
    <nav className="navigation" aria-label={FRAME.navigation}>
      <Organization />
      {search}
      {navItemsFor(member.role).map((group) => (
        <ul key={group[0]?.to} className="grid gap-2 nav-group">
          {group.map(({ to, name, icon }) => (
            <li key={to}>
              <Link to={to} className="nav-item" {...(isInSection(path, to) && CURRENT)}>
                <Icon name={icon} />
                {name}
              </Link>
            </li>
          ))}
        </ul>
      ))}
      <div className="grid gap-2 nav-group nav-account">
        <Link to="/settings" className="nav-item" activeProps={CURRENT}>
          <Avatar name={formatName(member)} photo={member.photo_url} size="small" />
          <span className="ellipsis">{formatName(member)}</span>
        </Link>
        <SignOut />
      </div>
    </nav>
  );
}

function SignOut() {
  const [busy, setBusy] = useState(false);
  async function signOut(): Promise<void> {
    setBusy(true);
    try {
      await call('POST /session/sign-out').catch((error: unknown) => {
        if (!isSignedOut(error)) throw error;
      });
      window.location.assign('/console/signin');
    } catch (error) {
      setBusy(false);
      showToast({ kind: 'bad', text: error instanceof ApiFailure ? error.message : FAILURE.unknown });
    }
  }
  return (
    <button type="button" className="nav-item" aria-disabled={busy} onClick={() => busy || void signOut()}>
      <Icon name="leave" />
      {busy ? FRAME.signingOut : FRAME.signOut}
    </button>
  );
}

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
          <Link
            key={to}
            to={to}
            className="line soft medium gap-2 tab-bar-item"
            {...(isInSection(path, to) && { 'aria-current': 'page' })}
          >
            <Icon name={icon} />
            <span>{name}</span>
          </Link>
        ))}
        <button
          type="button"
          className="line soft medium gap-2 tab-bar-item"
          aria-haspopup="dialog"
          onClick={() => menu.current?.showModal()}
        >
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
