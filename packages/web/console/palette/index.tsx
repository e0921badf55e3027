/** Search and commands. */

import type { ConsoleIntroRow, TeamMember } from '@foreword/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, type RefObject, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { formatName, formatPhone } from '../format.ts';
import { useDebounced } from '../hooks.ts';
import { lookOf } from '../pages/intros/status.tsx';
import { TOUCHPOINTS_QUERY } from '../pages/touchpoints/queries.ts';
import { Button } from '../parts/button.tsx';
import { DefinitionList, Icon } from '../parts/display.tsx';
import { Dialog } from '../parts/overlays.tsx';
import { load } from '../queries.ts';
import { useMay, useSession } from '../session.ts';
import { FAILURE, NAV, NO_TOUCHPOINT, PARTS } from '../texts.ts';
import { findCommands, type Group, type Item } from './commands.ts';

const TITLE = 'Search and commands';

/** About the pause between typed words, so that each word causes one search. */
const DEBOUNCE_MS = 200;
/** The lists show the rest. */
const SHOWN = 6;

const introItem = (row: ConsoleIntroRow): Item => {
  const { id, recipient, touchpoint, reference_id } = row;
  return {
    id,
    label: formatName(recipient),
    detail: [formatPhone(recipient.phone), touchpoint?.name ?? NO_TOUCHPOINT, lookOf(row).text, reference_id]
      .filter((part) => part !== null)
      .join(' · '),
    icon: 'video',
    target: { to: '/intros/$id', params: { id } },
  };
};

const memberItem = (member: TeamMember): Item => ({
  id: member.id,
  label: formatName(member),
  detail: member.email,
  icon: 'people',
  target: { to: '/members/$id', params: { id: member.id } },
});

/** The id of an event or a member leads to its page, whether or not the search finds it. */
function itemsOfId(text: string): readonly Item[] {
  const [id, kind] = /^(evt|mem)_[0-9a-z]{26}$/.exec(text.toLowerCase()) ?? [];
  if (id === undefined) return [];
  const isEvent = kind === 'evt';
  return [
    {
      ...{ id, label: `Open ${isEvent ? 'event' : 'member'} ${id}`, icon: isEvent ? 'file' : 'people' },
      target: { to: isEvent ? '/events/$id' : '/members/$id', params: { id } },
    },
  ];
}

const allIntros = (q: string): Item => ({
  id: 'all-intros',
  label: `Show all intros for “${q}”`,
  icon: 'search',
  target: { to: '/intros', search: { q } },
});

/** Searches intros and members like their lists do. Members find only their own intros. */
export function useResults(text: string) {
  const isManager = useMay('manager');
  const typed = text.trim();
  const q = useDebounced(typed, DEBOUNCE_MS);
  const options = { enabled: q !== '', placeholderData: keepPreviousData };
  const intros = useQuery({
    ...options,
    ...load(['intros', 'palette', q], 'GET /intros', { query: { q } }),
  });
  const members = useQuery({
    ...options,
    enabled: q !== '' && isManager,
    ...load(['members', 'palette', q], 'GET /members', { query: { q, limit: SHOWN } }),
  });
  const queries = isManager ? [intros, members] : [intros];
  const rows = typed === '' ? [] : (intros.data?.rows ?? []);
  const people = typed === '' ? [] : (members.data?.members ?? []);
  const hasMore = isManager && rows.length > SHOWN;
  const groups: readonly Group[] = [
    { name: NAV.intros, items: [...rows.slice(0, SHOWN).map(introItem), ...(hasMore ? [allIntros(q)] : [])] },
    { name: NAV.members, items: people.map(memberItem) },
    { name: 'By ID', items: isManager ? itemsOfId(typed) : [] },
  ];
  return {
    groups,
    isSearching: typed !== '' && (typed !== q || queries.some(({ isFetching }) => isFetching)),
    isFailed: typed !== '' && queries.some(({ isError }) => isError),
    retry: () => void Promise.all(queries.filter(({ isError }) => isError).map(({ refetch }) => refetch())),
  };
}

interface ListProps {
  id: string;
  groups: readonly Group[];
  active: Item | undefined;
  onActive: (item: Item) => void;
  onChoose: (item: Item) => void;
}

const optionId = (list: string, item: Item): string => `${list}-${item.id}`;

/** The focus stays in the field; `aria-activedescendant` names the active option. */
const Options = ({ id, groups, active, onActive, onChoose }: ListProps) => (
  <div id={id} role="listbox" aria-label={TITLE} className="palette-list">
    {groups.map(({ name, items }) => (
      // biome-ignore lint/a11y/useSemanticElements: a fieldset is not allowed in a listbox.
      <div key={name} role="group" aria-label={name}>
        <div className="soft bold palette-group" aria-hidden="true">
          {name}
        </div>
        {items.map((item) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys of all options.
          // biome-ignore lint/a11y/useFocusableInteractive: the field has the focus, as in every combobox.
          <div
            key={item.id}
            id={optionId(id, item)}
            role="option"
            aria-selected={item === active}
            data-highlighted={item === active || undefined}
            className="line gap-12 popup-item"
            onPointerMove={() => item !== active && onActive(item)}
            onClick={() => onChoose(item)}
          >
            <Icon name={item.icon} />
            <span className="grid narrow">
              <span>{item.label}</span>
              {item.detail !== undefined && <span className="hint figures">{item.detail}</span>}
            </span>
          </div>
        ))}
      </div>
    ))}
  </div>
);

interface StateProps {
  text: string;
  amount: number;
  isSearching: boolean;
  isFailed: boolean;
  onRetry: () => void;
}

/** Always rendered, because screen readers announce only changes inside an existing element. */
function State({ text, amount, isSearching, isFailed, onRetry }: StateProps) {
  const isNone = text !== '' && amount === 0 && !isSearching && !isFailed;
  return (
    <div className="palette-state" role="status">
      {isSearching && amount === 0 && <p>Searching</p>}
      {isFailed && !isSearching && (
        <p>
          The search failed. <Button kind="plain" small onClick={onRetry} label={FAILURE.tryAgain} />
        </p>
      )}
      {isNone && (
        <>
          <p>No results for “{text}”.</p>
          <p className="hint figures">
            Search for a name, the start or the end of a phone number, a reference, or an ID.
          </p>
        </>
      )}
      {amount > 0 && <span className="sr">{amount === 1 ? '1 result' : `${amount} results`}</span>}
    </div>
  );
}

function useOptions(text: string, showKeys: () => void) {
  const { role } = useSession().member;
  const results = useResults(text);
  const all = useQuery({ ...TOUCHPOINTS_QUERY, enabled: useMay('manager') });
  const touchpoints = all.data?.touchpoints ?? [];
  // Commands first: they are found at once, so that the active option stays when the server responds.
  const groups = [...findCommands(role, text, { touchpoints, showKeys }), ...results.groups].filter(
    ({ items }) => items.length > 0,
  );
  return { ...results, groups, items: groups.flatMap(({ items }) => items) };
}

interface PaletteProps {
  /** Text that was typed while the script loaded. */
  typed: RefObject<string>;
  /** Opens the list of keys instead. */
  onKeys: () => void;
  onClose: () => void;
}

/**
 * Search and commands in one field. Uses the browser's dialog, which keeps the focus inside, closes on Escape, and returns
 * the focus.
 */
export function CommandPalette({ typed, onKeys, onClose }: PaletteProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const list = useId();
  const navigate = useNavigate();
  const [text, setText] = useState(() => typed.current);
  const [chosen, setChosen] = useState('');
  const { groups, items, isSearching, isFailed, retry } = useOptions(text, onKeys);
  const active = items.find(({ id }) => id === chosen) ?? items[0];

  // From here on, keys go to the dialog. `typed` may have grown since it was rendered.
  useLayoutEffect(() => {
    dialog.current?.showModal();
    setText(typed.current);
  }, [typed]);
  useEffect(() => {
    if (active !== undefined) document.getElementById(optionId(list, active))?.scrollIntoView({ block: 'nearest' });
  }, [active, list]);

  const choose = (item: Item) => {
    dialog.current?.close();
    item.run?.();
    if (item.target !== undefined) void navigate(item.target);
  };
  const move = (event: KeyboardEvent, step: number) => {
    event.preventDefault();
    const at = active === undefined ? -1 : items.indexOf(active);
    setChosen(items.at((at + step) % items.length)?.id ?? '');
  };
  const press = (event: KeyboardEvent) => {
    // Enter also ends the input of a Japanese or Chinese word.
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'ArrowDown') move(event, 1);
    else if (event.key === 'ArrowUp') move(event, -1);
    else if (event.key === 'Enter' && active !== undefined) choose(active);
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: closes on a click outside; the keyboard has Escape.
    <dialog
      ref={dialog}
      className="palette"
      aria-label={TITLE}
      onClose={onClose}
      onClick={(event) => event.target === event.currentTarget && event.currentTarget.close()}
    >
      <div className="palette-body">
        <div className="line rigid gap-12 palette-field">
          <Icon name="search" />
          <input
            autoFocus
            role="combobox"
            aria-label={TITLE}
            aria-description="Use the arrow keys and Enter. Escape closes."
            aria-expanded={items.length > 0}
            aria-controls={list}
            aria-activedescendant={active === undefined ? undefined : optionId(list, active)}
            aria-autocomplete="list"
            placeholder="Name, phone, reference, page, or setting"
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            enterKeyHint="go"
            maxLength={200}
            value={text}
            onChange={(event) => {
              setText(event.currentTarget.value);
              setChosen('');
            }}
            onKeyDown={press}
          />
          {isSearching && <span className="spinner" aria-hidden="true" />}
          <Button kind="plain" small onClick={() => dialog.current?.close()} label={PARTS.close} />
        </div>
        <Options id={list} groups={groups} active={active} onActive={({ id }) => setChosen(id)} onChoose={choose} />
        <State text={text.trim()} amount={items.length} isSearching={isSearching} isFailed={isFailed} onRetry={retry} />
      </div>
    </dialog>
  );
}

const KEYS = [
  ['/', 'Search, or Ctrl K or ⌘K'],
  ['j', 'Next row of a list'],
  ['k', 'Previous row of a list'],
  ['Enter', 'Open the row'],
  ['?', 'Show these shortcuts'],
  ['Esc', 'Close a dialog or menu'],
] as const;

/** The keys of the console. */
export const KeysDialog = ({ onClose }: { onClose: () => void }) => (
  <Dialog onClose={onClose} title="Keyboard shortcuts">
    <DefinitionList items={KEYS} />
  </Dialog>
);
