import type { Role } from '@foreword/contract';
import { Outlet, useMatches, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Toasts } from '../parts/toasts.tsx';
import { mayActAs, useSession } from '../session.ts';
import { FRAME } from '../texts/common.ts';
import { ConnectionBar } from './connection-bar.tsx';
import { MemberBar } from './member-bar.tsx';
import { Navigation } from './navigation.tsx';
import { PhoneBar } from './phone-bar.tsx';
import { PageNotYours } from './states.tsx';

/** A new page is read from its heading on, by those who listen to it. Filters in the address bar make no new page. */
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

/** What the page that is open asks for; the nearest word counts. */
const useNeededRole = (): Role =>
  useMatches({ select: (matches) => matches.findLast(({ staticData }) => staticData.least !== undefined) })?.staticData
    .least ?? 'member';

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
          {mayActAs(role, needed) ? <Outlet /> : <PageNotYours needed={needed} />}
        </main>
      </div>
      <Toasts />
    </div>
  );
}
