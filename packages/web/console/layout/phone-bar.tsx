import { useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { Icon } from '../parts/icon.tsx';
import { FRAME } from '../texts/common.ts';
import { Navigation } from './navigation.tsx';
import { Organization } from './organization.tsx';

/**
 * The navigation on a phone: a sheet behind a button. The browser's own dialog, as it keeps the focus, closes on Escape and
 * gives the focus back by itself; a library's would be loaded with the first page.
 */
export function PhoneBar() {
  const sheet = useRef<HTMLDialogElement>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page closes it, whatever led there.
  useEffect(() => sheet.current?.close(), [path]);
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: outside of main it is a banner, which has a name; previews bring another.
    <header className="bar" aria-label={FRAME.bar}>
      <Organization />
      <button type="button" className="bar-button" aria-haspopup="dialog" onClick={() => sheet.current?.showModal()}>
        <Icon name="menu" />
        <span>{FRAME.openMenu}</span>
      </button>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: a tap beside the sheet; the keyboard has Escape. */}
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
