import { type ReactNode, Suspense, use, useId, useState } from 'react';
import { loadWhenReachable } from '../api.ts';
import { PARTS } from '../texts.ts';
import { Icon } from './display.tsx';
import { useControl } from './form.tsx';
import type { ComboboxItem, ComboboxProps, DialogProps, MenuItem, Trigger } from './popups.tsx';
import type { Message } from './toast-list.tsx';

type Popups = typeof import('./popups.tsx');

let loaded: Popups | undefined;
let loading: Promise<Popups> | undefined;

/** Loads dialogs, menus and the like. Not part of the page, because they would make it half as large again. */
async function load(): Promise<Popups> {
  try {
    loaded = await loadWhenReachable(() => import('./popups.tsx'));
    return loaded;
  } catch (error) {
    // A new version has replaced the file.
    window.location.reload();
    throw error;
  }
}

const loadOnce = (): Promise<Popups> => (loading ??= load());

type Render = (popups: Popups) => ReactNode;

/** Renders immediately once the popups have loaded, because a popup that is suspended first can lose the focus. */
const Loaded = ({ children }: { children: Render }) => children(loaded ?? use(loadOnce()));

const Later = ({ fallback, children }: { fallback?: ReactNode; children: Render }) => (
  <Suspense fallback={fallback}>
    <Loaded>{children}</Loaded>
  </Suspense>
);

/** Shows a short message without moving the focus. Replaces a toast with the same text. */
export function showToast(message: Message): void {
  void loadOnce().then(({ addToast }) => addToast(message));
}

/** Always rendered: screen readers announce only changes inside an existing live region. */
export const Toasts = () => <Later>{({ ToastList }) => <ToastList />}</Later>;

/** A modal dialog; on a phone it slides up from the bottom. Traps the focus and returns it on close. */
export const Dialog = (props: DialogProps) => <Later>{({ DialogPopup }) => <DialogPopup {...props} />}</Later>;

/** This key opens menus at their first item, and comboboxes. */
function pressDown(button: HTMLButtonElement | null): void {
  button?.focus();
  // The popup is not ready before its effects have run.
  setTimeout(() => button?.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true })));
}

interface OpeningProps {
  trigger: Trigger;
  popup: (popups: Popups, trigger: Trigger) => ReactNode;
}

/** Shows the button before its popup has loaded. A tap meanwhile opens the popup once it has. */
function Opening({ trigger, popup }: OpeningProps) {
  const [isTapped, setTapped] = useState(false);
  // Base UI makes the button of a required field a combobox.
  const { 'aria-required': _required, ...button } = trigger;
  return (
    <Later fallback={<button type="button" {...button} onClick={() => setTapped(true)} />}>
      {(popups) => popup(popups, isTapped ? { ...trigger, ref: pressDown } : trigger)}
    </Later>
  );
}

interface MenuProps {
  items: readonly MenuItem[];
  /** The accessible name of the three dots, such as "More for Ana Ng". */
  label?: string;
  /** Text on the button instead of the dots. */
  text?: string;
}

/** A button that opens a list of actions. */
export const Menu = ({ items, label = PARTS.more, text }: MenuProps) => (
  <Opening
    trigger={{
      ...(text === undefined
        ? { className: 'icon-button', 'aria-label': label, title: label }
        : { className: 'button quiet' }),
      children: (
        <>
          {text}
          <Icon name={text === undefined ? 'more' : 'down'} />
        </>
      ),
    }}
    popup={({ MenuPopup }, trigger) => <MenuPopup items={items} trigger={trigger} />}
  />
);

/** One of many options, found by typing. */
export const Combobox = <T extends ComboboxItem>(props: ComboboxProps<T>) => (
  <Opening
    trigger={{
      id: useId(),
      ...useControl(),
      'aria-label': props['aria-label'],
      className: 'input combobox',
      children: (
        <>
          <span className={props.value === null ? 'soft' : undefined}>
            {props.value === null ? props.placeholder : props.labelOf(props.value)}
          </span>
          <Icon name="down" />
        </>
      ),
    }}
    popup={({ ComboboxPopup }, trigger) => <ComboboxPopup {...props} trigger={trigger} />}
  />
);
