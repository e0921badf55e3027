/** Folder: the frame of every page: navigation, search and states. */

import type { Role } from '@foreword/contract';
import { type ErrorComponentProps, Outlet, useMatches, useRouter } from '@tanstack/react-router';
import {
  createContext,
  type ReactNode,
  type RefObject,
  Suspense,
  useContext,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { useConnection } from '../api.ts';
import { formatTime } from '../format.ts';
import { lazyComponent } from '../lazy.ts';
import { Button, IconButton, LinkButton } from '../parts/button.tsx';
import { Icon, Notice, PageHeader } from '../parts/display.tsx';
import { Toasts } from '../parts/overlays.tsx';
import { SkeletonRows } from '../parts/states.tsx';
import { mayActAs, useSession } from '../session.ts';
import { FAILURE, FRAME } from '../texts.ts';
import { Navigation, Organization, SectionTabs, TabBar } from './navigation.tsx';

/** Shown while the page's script loads. */
export const PageSkeleton = () => <SkeletonRows title />;

/** Shown when rendering the page failed or its script did not load. */
export function PageError({ reset }: ErrorComponentProps) {
  const router = useRouter();
  const again = () => {
    reset();
    void router.invalidate();
  };
  return (
    <>
      <PageHeader title="This page failed to load" lead="Something went wrong. Your data was not changed." />
      <Button onClick={again} label={FAILURE.tryAgain} />
    </>
  );
}

export const PageNotFound = () => (
  <>
    <PageHeader title="Page not found" lead="The address may be mistyped, or the page was removed." />
    <LinkButton to="/" kind="quiet" label={FRAME.backToStart} />
  </>
);

const ROLES: Record<Role, string> = { owner: 'owners', manager: 'owners and managers', member: 'members' };

const PageNotAllowed = ({ needed }: { needed: Role }) => (
  <>
    <PageHeader title={`Only for ${ROLES[needed]}`} lead={`Ask one of your ${ROLES[needed]} if you need access.`} />
    <LinkButton to="/" kind="quiet" label={FRAME.backToStart} />
  </>
);

const OpenSearch = createContext<() => void>(() => {});

/** The key next to K on this computer's keyboard. */
const SHORTCUT = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘K' : 'Ctrl K';

/** Another dialog would lie under the search, and could not be closed. */
const isBlocked = (): boolean => document.querySelector('dialog[open], [role="dialog"], [role="alertdialog"]') !== null;

const loadPalette = () => import('../palette/index.tsx');
const CommandPalette = lazyComponent(loadPalette, 'CommandPalette');
const KeysDialog = lazyComponent(loadPalette, 'KeysDialog');

/** Collects what is typed while the script of the search loads, so that a fast typist loses no letter. */
function Typing({ text, onCancel }: { text: RefObject<string>; onCancel: () => void }) {
  // A normal effect runs after the next paint, and a key may be pressed before that.
  useLayoutEffect(() => {
    const type = (event: KeyboardEvent) => {
      const { key } = event;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (key === 'Escape') onCancel();
      else if (key === 'Backspace') text.current = text.current.slice(0, -1);
      else if (key.length === 1) text.current += key;
      else return;
      event.preventDefault();
    };
    window.addEventListener('keydown', type, true);
    return () => window.removeEventListener('keydown', type, true);
  });
  return null;
}

/** Whether a plain letter is typed, and not a key of the console. */
const isTyping = ({ target, ctrlKey, metaKey, altKey, defaultPrevented }: KeyboardEvent): boolean =>
  ctrlKey ||
  metaKey ||
  altKey ||
  defaultPrevented ||
  (target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable="true"]') !== null);

/** The rows of the lists and tables on the page. */
const ROWS = 'main .list-row, main .task, main .table tbody tr';

/** Focuses the link of the next or the previous row. */
function moveToRow(step: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>(ROWS)].flatMap((row) => {
    const link = row.matches('a') ? row : row.querySelector<HTMLElement>('a');
    return link !== null && link.getClientRects().length > 0 ? [{ row, link }] : [];
  });
  const at = links.findIndex(({ row }) => row.contains(document.activeElement));
  const next = at < 0 ? links[0] : links[at + step];
  next?.link.focus();
  next?.row.scrollIntoView({ block: 'nearest' });
}

/** Opens search and commands on Ctrl+K, Cmd+K or a slash, and for the buttons below; a question mark shows the keys. */
function SearchProvider({ children }: { children: ReactNode }) {
  const [shown, setShown] = useState<'search' | 'keys' | null>(null);
  const typed = useRef('');
  const open = (what: 'search' | 'keys') => {
    if (isBlocked()) return;
    typed.current = '';
    setShown(what);
  };
  useLayoutEffect(() => {
    const keys: Readonly<Record<string, () => void>> = {
      '/': () => open('search'),
      '?': () => open('keys'),
      j: () => moveToRow(1),
      k: () => moveToRow(-1),
    };
    const press = (event: KeyboardEvent) => {
      const isShortcut = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey);
      const run =
        isShortcut && !event.altKey && !event.shiftKey ? keys['/'] : isTyping(event) ? undefined : keys[event.key];
      if (run === undefined || (isBlocked() && !isShortcut)) return;
      event.preventDefault();
      run();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  });
  // A closed search may have opened the list of keys.
  const close = (what: typeof shown) => setShown((now) => (now === what ? null : now));
  return (
    <OpenSearch value={() => open('search')}>
      {children}
      <Suspense fallback={<Typing text={typed} onCancel={() => setShown(null)} />}>
        {shown === 'search' && (
          <CommandPalette typed={typed} onKeys={() => setShown('keys')} onClose={() => close('search')} />
        )}
        {shown === 'keys' && <KeysDialog onClose={() => close('keys')} />}
      </Suspense>
    </OpenSearch>
  );
}

/** For the sidebar. */
const SearchButton = () => (
  <button
    type="button"
    className="line gap-12 nav-item search-button"
    onClick={useContext(OpenSearch)}
    aria-keyshortcuts="/ Control+K Meta+K"
  >
    <Icon name="search" />
    {FRAME.search}
    <span className="search-shortcut" aria-hidden="true">
      {SHORTCUT}
    </span>
  </button>
);

/** For the bar of a phone. */
const SearchIcon = () => <IconButton icon="search" label={FRAME.search} onClick={useContext(OpenSearch)} />;

/** On a phone, where the pages are in the tab bar. */
const PhoneBar = () => (
  // biome-ignore lint/a11y/useAriaPropsSupportedByRole: a header outside of main is a banner, and a name tells it apart from the one in a preview.
  <header className="between middle bar" aria-label="Console">
    <Organization />
    <SearchIcon />
  </header>
);

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
  useMatches({ select: (matches) => matches.filter(({ staticData }) => staticData.minRole !== undefined).at(-1) })
    ?.staticData.minRole ?? 'member';

export function Frame() {
  const { role } = useSession().member;
  const needed = useNeededRole();
  useHeadingFocus();
  return (
    <SearchProvider>
      <div className="frame">
        <a className="skip" href="#main">
          Skip to content
        </a>
        <PhoneBar />
        <div className="side">
          <Navigation search={<SearchButton />} />
        </div>
        <div>
          <ConnectionBar />
          <main id="main" className="page" tabIndex={-1}>
            <PasskeyBanner />
            {mayActAs(role, needed) ? (
              <>
                <SectionTabs />
                <Outlet />
              </>
            ) : (
              <PageNotAllowed needed={needed} />
            )}
          </main>
        </div>
        <TabBar />
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
    <Notice tone="warn" action={<LinkButton to="/account" kind="quiet" small label="Add a passkey" />}>
      Your organization requires a passkey from {formatTime(from, 'date', organization.timezone)}. Add one, so that you
      can sign in.
    </Notice>
  );
}

/** The status element is always rendered: screen readers announce only changes inside an existing one. */
function ConnectionBar() {
  const connection = useConnection();
  return (
    <div role="status" className="connection">
      {connection !== 'online' && (
        <p className="line medium gap-12 connection-text">
          <Icon name="signal" />
          {connection === 'offline'
            ? 'You are offline. This page may be out of date.'
            : 'The server is not responding. Retrying.'}
        </p>
      )}
    </div>
  );
}
