import { type ComponentType, createContext, type ReactNode, useContext, useEffect, useRef, useState } from 'react';
import { loadWhenReachable } from '../api.ts';
import { Icon } from '../parts/icon.tsx';
import { FRAME } from '../texts/common.ts';

const OpenSearch = createContext<() => void>(() => {});

/** The key next to K on this computer's keyboard. */
const SHORTCUT = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘K' : 'Ctrl K';

/** Another dialog would lie under the search, and could not be closed. */
const isBlocked = (): boolean => document.querySelector('dialog[open], [role="dialog"], [role="alertdialog"]') !== null;

/** Text that is typed while the script of the search loads, so that a fast typist loses no letter. */
function useTypingUntil(isLoaded: boolean, isOpen: boolean, onCancel: () => void) {
  const text = useRef('');
  const cancel = useRef(onCancel);
  cancel.current = onCancel;
  useEffect(() => {
    text.current = '';
    if (!isOpen || isLoaded) return;
    const type = (event: KeyboardEvent) => {
      const { key } = event;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (key === 'Escape') cancel.current();
      else if (key === 'Backspace') text.current = text.current.slice(0, -1);
      else if (key.length === 1) text.current += key;
      else return;
      event.preventDefault();
    };
    window.addEventListener('keydown', type, true);
    return () => window.removeEventListener('keydown', type, true);
  }, [isLoaded, isOpen]);
  return text;
}

/** Opens search and commands on Ctrl+K or Cmd+K, and for the buttons below. Its script loads when it opens first. */
export function SearchProvider({ children }: { children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  const [Palette, setPalette] = useState<ComponentType<{ initialText: string; onClose: () => void }> | null>(null);
  const typed = useTypingUntil(Palette !== null, isOpen, () => setOpen(false));
  const open = useRef(() => {});
  open.current = () => {
    if (isBlocked()) return;
    setOpen(true);
    if (Palette !== null) return;
    void loadWhenReachable(() => import('../palette/index.tsx')).then(
      ({ CommandPalette }) => setPalette(() => CommandPalette),
      // A new version has replaced the script.
      () => window.location.reload(),
    );
  };
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
        return;
      event.preventDefault();
      open.current();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
  return (
    <OpenSearch value={() => open.current()}>
      {children}
      {isOpen && Palette !== null && <Palette initialText={typed.current} onClose={() => setOpen(false)} />}
    </OpenSearch>
  );
}

/** For the sidebar. */
export const SearchButton = () => (
  <button type="button" className="search-button" onClick={useContext(OpenSearch)} aria-keyshortcuts="Control+K Meta+K">
    <Icon name="search" />
    {FRAME.search}
    <span className="search-shortcut" aria-hidden="true">
      {SHORTCUT}
    </span>
  </button>
);

/** For the bar of a phone. */
export const SearchIcon = () => (
  <button type="button" className="icon-button" aria-label={FRAME.search} onClick={useContext(OpenSearch)}>
    <Icon name="search" />
  </button>
);
