import { Combobox as Base } from '@base-ui/react/combobox';
import type { ReactNode } from 'react';
import { PARTS } from '../texts/common.ts';
import { useControl } from './field.tsx';
import { Icon } from './icon.tsx';
import { useOverlayRoom } from './overlay-room.ts';

interface ComboboxProps<T> {
  /** What matches what is typed: filtered here when `onSearch` is left out, else by whoever listens to it. */
  items: readonly T[];
  value: T | null;
  onChange: (value: T | null) => void;
  keyOf: (item: T) => string;
  labelOf: (item: T) => string;
  /** More than the label, in the list. */
  render?: (item: T) => ReactNode;
  onSearch?: (text: string) => void;
  /** Shown while nothing is chosen. */
  placeholder: string;
  /** What is searched, for those who hear it. */
  searchLabel: string;
  busy?: boolean;
  /** Where no Field's label names it. */
  'aria-label'?: string;
}

/** One of many, found by typing. The search stands in the popup: with it beside, all else would be hidden from who hears the page. */
export function Combobox<T>(props: ComboboxProps<T>) {
  const { items, value, onChange, keyOf, labelOf, render = labelOf, onSearch, busy = false } = props;
  return (
    <Base.Root
      items={items}
      value={value}
      onValueChange={onChange}
      itemToStringLabel={labelOf}
      isItemEqualToValue={(item, other) => keyOf(item) === keyOf(other)}
      {...(onSearch !== undefined && { filter: null, onInputValueChange: onSearch })}
    >
      <Base.Trigger {...useControl()} aria-label={props['aria-label']} className="input combobox">
        <span className={value === null ? 'combobox-none' : ''}>
          {value === null ? props.placeholder : labelOf(value)}
        </span>
        <Icon name="down" />
      </Base.Trigger>
      <Base.Portal {...useOverlayRoom()}>
        <Base.Positioner className="positioner" sideOffset={6}>
          <Base.Popup className="popup combobox-popup" aria-label={props.searchLabel} aria-busy={busy || undefined}>
            <Base.Input className="input" aria-label={props.searchLabel} placeholder={props.searchLabel} />
            <Base.Empty className="popup-empty">{busy ? PARTS.working : PARTS.noMatch}</Base.Empty>
            <Base.List className="combobox-list">
              {(item: T) => (
                <Base.Item key={keyOf(item)} value={item} className="popup-item">
                  {render(item)}
                </Base.Item>
              )}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
