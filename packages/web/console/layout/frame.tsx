import type { Role } from '@foreword/contract';
import { Link, Outlet, useMatches, useRouter, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useConnection } from '../connection.ts';
import { formatTime } from '../format.ts';
import { LinkButton } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { Notice } from '../parts/notice.tsx';
import { Toasts } from '../parts/toasts.tsx';
import { mayActAs, useSession } from '../session.ts';
import { FRAME, NAV } from '../texts/common.ts';
import { SECOND_FACTOR } from '../texts/passkeys.ts';
import { Navigation, Organization } from './navigation.tsx';
import { PageNotAllowed } from './states.tsx';

/**
 * The navigation menu on a phone. Uses the browser's dialog, which handles focus and Escape: a library's dialog would
 * have to load with the first page.
 */
function PhoneBar() {
  const sheet = useRef<HTMLDialogElement>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: closes the menu when the page changes.
  useEffect(() => sheet.current?.close(), [path]);
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: a header outside of main is a banner, and a name tells it apart from the one in a preview.
    <header className="bar" aria-label={FRAME.bar}>
      <Organization />
      <button type="button" className="bar-button" aria-haspopup="dialog" onClick={() => sheet.current?.showModal()}>
        <Icon name="menu" />
        <span>{FRAME.openMenu}</span>
      </button>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: closes on a tap outside the menu; the keyboard has Escape. */}
      <dialog
        ref={sheet}
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
    </header>
  );
}

/** Members have only two pages, so both links fit without a menu. */
function MemberBar() {
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: a header outside of main is a banner, and a name tells it apart from the one in a preview.
    <header className="bar bar-member" aria-label={FRAME.bar}>
      <Organization />
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
    <div className={isTeam ? 'frame' : 'frame frame-member'}>
      <a className="skip" href="#main">
        {FRAME.skip}
      </a>
      {isTeam ? (
        <>
          <PhoneBar />
          <div className="side">
            <Navigation />
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
      <Toasts />
    </div>
  );
}

/** Before the organization requires a passkey that the member does not have. */
function PasskeyBanner() {
  const { passkey_needed_from: from } = useSession();
  if (from === null || from === undefined) return null;
  return (
    <div className="passkey-banner">
      <Notice
        tone="warn"
        action={
          <LinkButton to="/settings" kind="quiet" small>
            {SECOND_FACTOR.bannerAction}
          </LinkButton>
        }
      >
        {SECOND_FACTOR.banner(formatTime(from, 'date'))}
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
