import { Combobox as Base } from '@base-ui/react/combobox';
import { foldName } from '@foreword/contract/plain';
import type { ComponentProps, ReactNode } from 'react';
import { PARTS } from '../texts.ts';
import { useOverlayContainer } from './overlay-container.ts';

/** An option, or its name alone. */
export type ComboboxItem = string | { readonly id: string };

const keyOf = (item: ComboboxItem): string => (typeof item === 'string' ? item : item.id);

export interface ComboboxProps<T extends ComboboxItem> {
  /** The options. Without `onSearch` they are filtered here; with it, the caller filters them. */
  items: readonly T[];
  value: T | null;
  onChange: (value: T | null) => void;
  labelOf: (item: T) => string;
  /** Renders an option in the list, if it shows more than the label. */
  render?: (item: T) => ReactNode;
  onSearch?: (text: string) => void;
  /** Shown while nothing is selected. */
  placeholder: string;
  /** The accessible name of the search field. */
  searchLabel: string;
  busy?: boolean;
  /** The options show at once, where they are all that a dialog asks for. */
  isOpen?: boolean;
  /** Needed where no Field labels the control. */
  'aria-label'?: string;
}

/** The search field is inside the popup, so that screen readers still see the page. */
export function ComboboxPopup<T extends ComboboxItem>(props: ComboboxProps<T> & { trigger: ComponentProps<'button'> }) {
  const { items, value, onChange, labelOf, render = labelOf, onSearch, busy = false } = props;
  return (
    <Base.Root
      items={items}
      value={value}
      onValueChange={onChange}
      // Enter chooses the first option.
      autoHighlight
      defaultOpen={props.isOpen === true}
      itemToStringLabel={labelOf}
      isItemEqualToValue={(item, other) => keyOf(item) === keyOf(other)}
      {...(onSearch === undefined
        ? { filter: (item: T, typed: string) => foldName(labelOf(item)).includes(foldName(typed)) }
        : { filter: null, onInputValueChange: onSearch })}
    >
      <Base.Trigger {...props.trigger} />
      <Base.Portal {...useOverlayContainer()}>
        <Base.Positioner
          className="positioner"
          sideOffset={6}
          // Above the field, the options would cover the title of their dialog.
          {...(props.isOpen !== undefined && { collisionAvoidance: { side: 'none' } })}
        >
          <Base.Popup
            className="popup combobox-popup"
            aria-label={props.searchLabel}
            aria-busy={busy || undefined}
            // By default, the focus would return to where it was before, which may be behind a dialog that opened with its options.
            finalFocus={() => document.getElementById(props.trigger.id ?? '')}
          >
            <Base.Input className="input" aria-label={props.searchLabel} placeholder={props.searchLabel} />
            <Base.Empty className="soft popup-empty">{busy ? PARTS.working : PARTS.noMatch}</Base.Empty>
            <Base.List className="combobox-list">
              {(item: T) => (
                <Base.Item key={keyOf(item)} value={item} className="line gap-12 popup-item">
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
