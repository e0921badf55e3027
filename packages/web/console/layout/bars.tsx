import { Link, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { Icon } from '../parts/icon.tsx';
import { FRAME, NAV } from '../texts/common.ts';
import { Navigation, Organization } from './navigation.tsx';

/**
 * The navigation menu on a phone. Uses the browser's dialog, which handles focus and Escape: a library's dialog would
 * have to load with the first page.
 */
export function PhoneBar() {
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
export function MemberBar() {
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
