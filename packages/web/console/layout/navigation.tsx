import { Link, useRouterState } from '@tanstack/react-router';
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { ApiFailure, call, isSignedOut } from '../api.ts';
import { formatName } from '../format.ts';
import { IconButton } from '../parts/button.tsx';
import { Avatar, Icon } from '../parts/display.tsx';
import { showToast } from '../parts/overlays.tsx';
import { mayActAs, useSession } from '../session.ts';
import { FAILURE, FRAME } from '../texts.ts';
import { isInSection, SECTIONS, type Section, tabsOf } from './sections.ts';

/** The organization's logo or name; links to the start page. */
export function Organization() {
  const { name, logo_url } = useSession().organization;
  return (
    <Link to="/" className="line narrow organization">
      {logo_url === null ? <span>{name}</span> : <img src={logo_url} alt={name} />}
    </Link>
  );
}

/** "My intros" is only for those who record. */
function useSections(): readonly Section[] {
  const { role, records } = useSession().member;
  return SECTIONS.filter(({ to, minRole }) => mayActAs(role, minRole) && (to !== '/home' || records));
}

const CURRENT = { className: 'line gap-12 nav-item nav-current', 'aria-current': 'page' } as const;

/** Used by the desktop sidebar, with a search button, and the phone menu. */
export function Navigation({ search }: { search?: ReactNode }) {
  const { member } = useSession();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  return (
    <nav className="navigation" aria-label="Main">
      <Organization />
      {search}
      <ul className="grid gap-4">
        {useSections().map((section) => (
          <li key={section.to}>
            <Link to={section.to} className="line gap-12 nav-item" {...(isInSection(path, section) && CURRENT)}>
              <Icon name={section.icon} />
              {section.name}
            </Link>
          </li>
        ))}
      </ul>
      <div className="grid gap-4 nav-account">
        <Link to="/account" className="line gap-12 nav-item" activeProps={CURRENT}>
          <Avatar name={formatName(member)} photo={member.photo_url} size="small" />
          <span className="ellipsis">{formatName(member)}</span>
        </Link>
        <SignOut />
      </div>
    </nav>
  );
}

/** Leaves the console. False if the server could not be reached. */
export async function signOut(): Promise<boolean> {
  try {
    await call('POST /session/sign-out').catch((error: unknown) => {
      if (!isSignedOut(error)) throw error;
    });
    window.location.assign('/console/signin');
    return true;
  } catch (error) {
    showToast({ kind: 'bad', text: error instanceof ApiFailure ? error.message : FAILURE.unknown });
    return false;
  }
}

function SignOut() {
  const [busy, setBusy] = useState(false);
  async function leave(): Promise<void> {
    setBusy(true);
    setBusy(await signOut());
  }
  return (
    <button type="button" className="line gap-12 nav-item" aria-disabled={busy} onClick={() => busy || void leave()}>
      <Icon name="leave" />
      {busy ? 'Signing out' : FRAME.signOut}
    </button>
  );
}

/** More would leave no room for their names on a phone. */
const IN_TAB_BAR = 4;

/** The pages used daily, at the bottom of a phone's screen, and a menu with all pages. */
export function TabBar() {
  const menu = useRef<HTMLDialogElement>(null);
  const sections = useSections().slice(0, IN_TAB_BAR);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: closes the menu when the page changes.
  useEffect(() => menu.current?.close(), [path]);
  return (
    <>
      <nav className="tab-bar" aria-label="Tabs">
        {sections.map((section) => (
          <Link
            key={section.to}
            to={section.to}
            className="line soft medium gap-4 tab-bar-item"
            {...(isInSection(path, section) && { 'aria-current': 'page' })}
          >
            <Icon name={section.icon} />
            <span>{section.name}</span>
          </Link>
        ))}
        <button
          type="button"
          className="line soft medium gap-4 tab-bar-item"
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
      <form method="dialog" className="line">
        <IconButton type="submit" icon="close" label="Close menu" />
      </form>
      <Navigation />
    </div>
  </dialog>
);

/** The tabs of the open page's section. */
export function SectionTabs() {
  const list = useRef<HTMLElement>(null);
  const { role } = useSession().member;
  const path = useRouterState({ select: ({ location }) => location.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls to the current tab when the page changes.
  useEffect(() => {
    const here = list.current?.querySelector<HTMLElement>('[aria-current]');
    // On a phone the tabs scroll. scrollIntoView might also scroll the page.
    if (list.current && here) {
      list.current.scrollLeft =
        here.offsetLeft - list.current.offsetLeft - (list.current.clientWidth - here.offsetWidth) / 2;
    }
  }, [path]);
  const found = tabsOf(path, role);
  return found === null ? null : (
    <nav ref={list} className="tab-list" aria-label={found.name}>
      {found.tabs.map(({ to, name }) => (
        // Filters in the address do not make it another tab.
        <Link
          key={to}
          to={to}
          className="tab"
          activeOptions={{ exact: true, includeSearch: false }}
          activeProps={{ 'aria-current': 'page' }}
        >
          {name}
        </Link>
      ))}
    </nav>
  );
}
