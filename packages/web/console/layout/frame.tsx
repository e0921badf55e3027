import type { Role } from '@foreword/contract';
import { Outlet, useMatches, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useConnection } from '../connection.ts';
import { Icon } from '../parts/icon.tsx';
import { Toasts } from '../parts/toasts.tsx';
import { mayActAs, useSession } from '../session.ts';
import { FRAME } from '../texts/common.ts';
import { MemberBar, PhoneBar } from './bars.tsx';
import { Navigation } from './navigation.tsx';
import { PageNotAllowed } from './states.tsx';

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
          {mayActAs(role, needed) ? <Outlet /> : <PageNotAllowed needed={needed} />}
        </main>
      </div>
      <Toasts />
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
