/** Search and commands. */

import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { useSession } from '../session.ts';
import { PALETTE } from '../texts/palette.ts';
import { findCommands, type Group, type Item } from './items.ts';
import { useResults } from './use-results.ts';

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
  <div id={id} role="listbox" aria-label={PALETTE.title} className="palette-list">
    {groups.map(({ name, items }) => (
      // biome-ignore lint/a11y/useSemanticElements: a fieldset is not allowed in a listbox.
      <div key={name} role="group" aria-label={name}>
        <div className="palette-group" aria-hidden="true">
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
            className="palette-option"
            onPointerMove={() => item !== active && onActive(item)}
            onClick={() => onChoose(item)}
          >
            <Icon name={item.icon} />
            <span className="palette-text">
              <span>{item.label}</span>
              {item.detail !== undefined && <span className="palette-detail">{item.detail}</span>}
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
      {isSearching && amount === 0 && <p>{PALETTE.searching}</p>}
      {isFailed && !isSearching && (
        <p>
          {PALETTE.failed}{' '}
          <Button kind="plain" small onClick={onRetry}>
            {PALETTE.again}
          </Button>
        </p>
      )}
      {isNone && (
        <>
          <p>{PALETTE.none(text)}</p>
          <p className="palette-detail">{PALETTE.noneHint}</p>
        </>
      )}
      {amount > 0 && <span className="sr">{PALETTE.found(amount)}</span>}
    </div>
  );
}

function useOptions(text: string) {
  const { role } = useSession().member;
  const results = useResults(text);
  // Commands first: they are found at once, so that the active option stays when the server responds.
  const groups = [...findCommands(role, text), ...results.groups].filter(({ items }) => items.length > 0);
  return { ...results, groups, items: groups.flatMap(({ items }) => items) };
}

/**
 * Search and commands in one field. Uses the browser's dialog, which keeps the focus inside, closes on Escape, and returns
 * the focus.
 */
export function CommandPalette({ initialText, onClose }: { initialText: string; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const list = useId();
  const navigate = useNavigate();
  const [text, setText] = useState(initialText);
  const [chosen, setChosen] = useState('');
  const { groups, items, isSearching, isFailed, retry } = useOptions(text);
  const active = items.find(({ id }) => id === chosen) ?? items[0];

  useEffect(() => dialog.current?.showModal(), []);
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
      aria-label={PALETTE.title}
      onClose={onClose}
      onClick={(event) => event.target === event.currentTarget && event.currentTarget.close()}
    >
      <div className="palette-body">
        <div className="palette-field">
          <Icon name="search" />
          <input
            autoFocus
            role="combobox"
            aria-label={PALETTE.title}
            aria-description={PALETTE.hint}
            aria-expanded={items.length > 0}
            aria-controls={list}
            aria-activedescendant={active === undefined ? undefined : optionId(list, active)}
            aria-autocomplete="list"
            placeholder={PALETTE.placeholder}
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
          <button type="button" className="palette-close" onClick={() => dialog.current?.close()}>
            {PALETTE.close}
          </button>
        </div>
        <Options id={list} groups={groups} active={active} onActive={({ id }) => setChosen(id)} onChoose={choose} />
        <State text={text.trim()} amount={items.length} isSearching={isSearching} isFailed={isFailed} onRetry={retry} />
      </div>
    </dialog>
  );
}
