/** Folder: the frame of every page: navigation, search and states. */

import type { Role } from '@foreword/contract';
import { Link, Outlet, useMatches, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useConnection } from '../connection.ts';
import { formatTime } from '../format.ts';
import { LinkButton } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { Notice } from '../parts/notice.tsx';
import { Toasts } from '../parts/toasts.tsx';
import { mayActAs, useSession } from '../session.ts';
import { FRAME, NAV, PASSKEY_NEEDED } from '../texts/common.ts';
import { Navigation, Organization } from './navigation.tsx';
import { SearchButton, SearchIcon, SearchProvider } from './search.tsx';
import { PageNotAllowed } from './states.tsx';
import { TabBar } from './tab-bar.tsx';

/** For owners and managers on a phone. The pages are in the tab bar. */
function PhoneBar() {
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: a header outside of main is a banner, and a name tells it apart from the one in a preview.
    <header className="bar" aria-label={FRAME.bar}>
      <Organization />
      <div className="bar-end">
        <Link to="/home/new" className="icon-button" aria-label={FRAME.newIntro}>
          <Icon name="plus" />
        </Link>
        <SearchIcon />
      </div>
    </header>
  );
}

/** Members have only two pages, so both links fit without a menu. */
function MemberBar() {
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: a header outside of main is a banner, and a name tells it apart from the one in a preview.
    <header className="bar bar-member" aria-label={FRAME.bar}>
      <Organization />
      <SearchIcon />
      <nav className="bar-nav" aria-label={FRAME.navigation}>
        {(['home', 'settings'] as const).map((name) => (
          <Link
            key={name}
            to={`/${name}`}
            className="bar-button"
            activeProps={{ className: 'bar-button nav-current', 'aria-current': 'page' }}
          >
            <Icon name={name} />
            <span>{NAV[name]}</span>
          </Link>
        ))}
      </nav>
    </header>
  );
}

/** Moves the focus to the heading of a new page, for screen readers. A changed filter is not a new page. */
function useHeadingFocus(): void {
  const router = useRouter();
  useEffect(() => {
    let first = true;
    return router.subscribe('onRendered', ({ pathChanged }) => {
      const target = document.querySelector<HTMLElement>('main h1') ?? document.querySelector<HTMLElement>('main');
      if (!first && pathChanged) target?.focus({ preventScroll: true });
      first = false;
    });
  }, [router]);
}

/** The role the open page requires, as set by the innermost route that sets one. */
const useNeededRole = (): Role =>
  useMatches({ select: (matches) => matches.findLast(({ staticData }) => staticData.minRole !== undefined) })
    ?.staticData.minRole ?? 'member';

export function Frame() {
  const { role } = useSession().member;
  const needed = useNeededRole();
  const isTeam = mayActAs(role, 'manager');
  useHeadingFocus();
  return (
    <SearchProvider>
      <div className={isTeam ? 'frame' : 'frame frame-member'}>
        <a className="skip" href="#main">
          {FRAME.skip}
        </a>
        {isTeam ? (
          <>
            <PhoneBar />
            <div className="side">
              <Navigation search={<SearchButton />} />
            </div>
          </>
        ) : (
          <MemberBar />
        )}
        <div className="main">
          <ConnectionBar />
          <main id="main" className="page" tabIndex={-1}>
            <PasskeyBanner />
            {mayActAs(role, needed) ? <Outlet /> : <PageNotAllowed needed={needed} />}
          </main>
        </div>
        {isTeam && <TabBar />}
        <Toasts />
      </div>
    </SearchProvider>
  );
}

/** Before the organization requires a passkey that the member does not have. */
function PasskeyBanner() {
  const { passkey_needed_from: from, organization } = useSession();
  if (from === null) return null;
  return (
    <div className="passkey-banner">
      <Notice
        tone="warn"
        action={
          <LinkButton to="/settings" kind="quiet" small>
            {PASSKEY_NEEDED.action}
          </LinkButton>
        }
      >
        {PASSKEY_NEEDED.text(formatTime(from, 'date', organization.timezone))}
      </Notice>
    </div>
  );
}

/** The status element is always rendered: screen readers announce only changes inside an existing one. */
function ConnectionBar() {
  const connection = useConnection();
  return (
    <div role="status" className="connection">
      {connection !== 'online' && (
        <p className="connection-text">
          <Icon name="signal" />
          {connection === 'offline' ? FRAME.offline : FRAME.silent}
        </p>
      )}
    </div>
  );
}
