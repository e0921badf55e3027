/** The parts that use Base UI, in one file with the toasts. Pages use them through `overlays.tsx`. */

import { AlertDialog } from '@base-ui/react/alert-dialog';
import { Combobox } from '@base-ui/react/combobox';
import { Dialog } from '@base-ui/react/dialog';
import { Menu } from '@base-ui/react/menu';
import { foldName } from '@foreword/contract/plain';
import { type ComponentProps, createContext, type ReactNode, type RefObject, useContext, useRef } from 'react';
import { useUnsaved } from '../hooks.ts';
import { PARTS } from '../texts.ts';
import { Icon, type IconName } from './display.tsx';

export { addToast, ToastList } from './toast-list.tsx';

/** The properties of the button that opens a popup. */
export type Trigger = ComponentProps<'button'>;

/** Menus and lists open inside `main`, so that screen readers find them in that landmark. */
const MAIN: RefObject<HTMLElement | null> = {
  get current() {
    return document.getElementById('main');
  },
};

const InDialog = createContext(false);

/** Inside a dialog, a list must open outside of `main`: the page behind a modal dialog is inert. */
const useContainer = (): { container?: RefObject<HTMLElement | null> } =>
  useContext(InDialog) ? {} : { container: MAIN };

export interface DialogProps {
  open?: boolean;
  /** Without it, only the dialog's own buttons close it, not Escape or a click outside. */
  onClose?: () => void;
  title: string;
  lead?: ReactNode;
  children?: ReactNode;
  /** Buttons, with the main action last. */
  actions?: ReactNode;
  wide?: boolean;
  /** Closing would lose something: a click outside does nothing, and an expired session does not leave the page. */
  isDirty?: boolean;
  /** A question that one of the buttons answers. */
  isAlert?: boolean;
}

/**
 * The first field, or else the first action: not a button between texts, because the dialog would scroll to it, nor the one that
 * closes the dialog. True: the default.
 */
const firstOf = (popup: HTMLElement | null): HTMLElement | true =>
  popup?.querySelector<HTMLElement>('.dialog-body :is(input, textarea, select, .combobox):not(:disabled)') ??
  popup?.querySelector<HTMLElement>('.dialog-actions button:not(:disabled)') ??
  true;

export function DialogPopup({ onClose, title, lead, children, actions, ...rest }: DialogProps) {
  const { open = true, wide = false, isDirty = false, isAlert = false } = rest;
  const Root = isAlert ? AlertDialog.Root : Dialog.Root;
  const popup = useRef<HTMLDivElement>(null);
  useUnsaved(open && isDirty);
  return (
    <Root
      open={open}
      {...(!isAlert && { disablePointerDismissal: isDirty || onClose === undefined })}
      onOpenChange={(_open, { cancel }) => (onClose === undefined ? cancel() : onClose())}
    >
      <Dialog.Portal>
        {/* Also above another dialog, to which this one would otherwise seem to belong. */}
        <Dialog.Backdrop forceRender className="backdrop" />
        <Dialog.Popup
          ref={popup}
          className={wide ? 'dialog dialog-wide' : 'dialog'}
          initialFocus={() => firstOf(popup.current)}
        >
          <header className="line between gap-12 dialog-header">
            <Dialog.Title>{title}</Dialog.Title>
            {onClose !== undefined && !isAlert && (
              <Dialog.Close className="icon-button" aria-label={PARTS.close}>
                <Icon name="close" />
              </Dialog.Close>
            )}
          </header>
          {lead !== undefined && (
            <Dialog.Description className="lead" render={<div />}>
              {lead}
            </Dialog.Description>
          )}
          {children !== undefined && (
            <div className="dialog-body">
              <InDialog value>{children}</InDialog>
            </div>
          )}
          {actions !== undefined && <footer className="form-actions dialog-actions">{actions}</footer>}
        </Dialog.Popup>
      </Dialog.Portal>
    </Root>
  );
}

export interface MenuItem {
  readonly label: string;
  readonly icon?: IconName;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  /** A second line; for a disabled item, the reason. */
  readonly hint?: string;
  readonly run: () => void;
}

export const MenuPopup = ({ items, trigger }: { items: readonly MenuItem[]; trigger: Trigger }) => (
  <Menu.Root>
    <Menu.Trigger {...trigger} />
    <Menu.Portal container={MAIN}>
      <Menu.Positioner className="positioner" sideOffset={6} align="end">
        <Menu.Popup className="popup">
          {items.map((item) => (
            <Menu.Item
              key={item.label}
              className={item.danger === true ? 'line gap-12 popup-item bad-text' : 'line gap-12 popup-item'}
              disabled={item.disabled ?? false}
              onClick={item.run}
            >
              {item.icon !== undefined && <Icon name={item.icon} />}
              {item.hint === undefined ? (
                item.label
              ) : (
                <span className="grid">
                  {item.label}
                  <span className="hint">{item.hint}</span>
                </span>
              )}
            </Menu.Item>
          ))}
        </Menu.Popup>
      </Menu.Positioner>
    </Menu.Portal>
  </Menu.Root>
);

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
  /** Shown without any options. */
  empty?: string;
  /** The options show at once, where they are all that a dialog asks for. */
  isOpen?: boolean;
  /** Needed where no Field labels the control. */
  'aria-label'?: string;
}

/** The search field is inside the popup, so that screen readers still see the page. */
export function ComboboxPopup<T extends ComboboxItem>(props: ComboboxProps<T> & { trigger: Trigger }) {
  const { items, value, onChange, labelOf, render = labelOf, onSearch, busy = false, empty = PARTS.noMatch } = props;
  const popup = useRef<HTMLDivElement>(null);
  const findTrigger = () => document.getElementById(props.trigger.id ?? '');
  return (
    <Combobox.Root
      items={items}
      value={value}
      onValueChange={onChange}
      // Enter chooses the first option.
      autoHighlight
      defaultOpen={props.isOpen === true}
      itemToStringLabel={labelOf}
      onOpenChange={(isOpening) => {
        // At once: while the popup fades, Tab would leave it for nowhere.
        if (!isOpening && popup.current?.contains(document.activeElement)) findTrigger()?.focus();
      }}
      isItemEqualToValue={(item, other) => keyOf(item) === keyOf(other)}
      {...(onSearch === undefined
        ? { filter: (item: T, typed: string) => foldName(labelOf(item)).includes(foldName(typed)) }
        : { filter: null, onInputValueChange: onSearch })}
    >
      <Combobox.Trigger {...props.trigger} />
      <Combobox.Portal {...useContainer()}>
        <Combobox.Positioner
          className="positioner"
          sideOffset={6}
          // Above the field, the options would cover the title of their dialog.
          {...(props.isOpen !== undefined && { collisionAvoidance: { side: 'none' } })}
        >
          <Combobox.Popup
            className="popup combobox-popup"
            aria-label={props.searchLabel}
            aria-busy={busy || undefined}
            ref={popup}
            // By default, the focus would return to where it was before, which may be behind a dialog that opened with its options.
            finalFocus={findTrigger}
          >
            <Combobox.Input className="input" aria-label={props.searchLabel} placeholder={props.searchLabel} />
            <Combobox.Empty className="soft popup-empty">{busy ? PARTS.working : empty}</Combobox.Empty>
            <Combobox.List className="combobox-list">
              {(item: T) => (
                <Combobox.Item key={keyOf(item)} value={item} className="line gap-12 popup-item">
                  {render(item)}
                </Combobox.Item>
              )}
            </Combobox.List>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  );
}
