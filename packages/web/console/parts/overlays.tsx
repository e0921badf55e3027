import { type ComponentProps, type ReactNode, Suspense, useState } from 'react';
import { loadWhenReachable } from '../api.ts';
import { lazyComponent } from '../lazy.ts';
import { PARTS } from '../texts.ts';
import type { ComboboxProps, ComboboxPopup as Popup } from './combobox.tsx';
import { Icon } from './display.tsx';
import { useControl } from './form.tsx';
import type { MenuItem } from './menu.tsx';
import type { Message } from './toast-list.tsx';

/** What opens above a page loads after it: with Base UI, it is half as large as the page. */
const load = () => import('./popups.ts');
const DialogPopup = lazyComponent(load, 'DialogPopup');
const MenuPopup = lazyComponent(load, 'MenuPopup');
const ComboboxPopup = lazyComponent(load, 'ComboboxPopup') as typeof Popup;
const ToastList = lazyComponent(load, 'ToastList');

/** Shows a short message without moving the focus. Replaces a toast with the same text. */
export function showToast(message: Message): void {
  void loadWhenReachable(load).then(({ addToast }) => addToast(message));
}

/** Always rendered: screen readers announce only changes inside an existing live region. */
export const Toasts = () => (
  <Suspense>
    <ToastList />
  </Suspense>
);

/** A modal dialog; on a phone it slides up from the bottom. Traps the focus and returns it on close. */
export const Dialog = (props: ComponentProps<typeof DialogPopup>) => (
  <Suspense>
    <DialogPopup {...props} />
  </Suspense>
);

/** The properties of the button that opens a popup. */
type Trigger = ComponentProps<'button'>;

/** This key opens menus at their first item, and comboboxes. */
function pressDown(button: HTMLButtonElement | null): void {
  button?.focus();
  // The popup is not ready before its effects have run.
  setTimeout(() => button?.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true })));
}

/** Shows the button before its popup has loaded. A tap meanwhile opens the popup once it has. */
function Opening({ trigger, popup }: { trigger: Trigger; popup: (trigger: Trigger) => ReactNode }) {
  const [isTapped, setTapped] = useState(false);
  // Base UI makes the button of a required field a combobox.
  const { 'aria-required': _required, ...button } = trigger;
  return (
    <Suspense fallback={<button type="button" {...button} onClick={() => setTapped(true)} />}>
      {popup(isTapped ? { ...trigger, ref: pressDown } : trigger)}
    </Suspense>
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
    popup={(trigger) => <MenuPopup items={items} trigger={trigger} />}
  />
);

/** One of many options, found by typing. */
export const Combobox = <T,>(props: ComboboxProps<T>) => (
  <Opening
    trigger={{
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
    popup={(trigger) => <ComboboxPopup {...props} trigger={trigger} />}
  />
);
