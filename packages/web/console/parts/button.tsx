/** Folder: the components that pages share. */

import { createLink } from '@tanstack/react-router';
import type { ComponentPropsWithRef, MouseEvent, ReactNode } from 'react';
import { Icon, type IconName } from './display.tsx';

/** `primary`: the main action. `quiet`: other actions. `plain`: text only. `danger`: destructive actions. */
type ButtonKind = 'primary' | 'quiet' | 'plain' | 'danger';

export const buttonClass = (kind: ButtonKind, small: boolean): string => `button ${kind}${small ? ' small' : ''}`;

interface ButtonProps extends Omit<ComponentPropsWithRef<'button'>, 'children'> {
  label: ReactNode;
  kind?: ButtonKind;
  /** A request is in flight: the button keeps the focus but ignores clicks. */
  busy?: boolean;
  small?: boolean;
  icon?: IconName;
}

export function Button({ label, kind = 'primary', busy = false, small = false, icon, onClick, ...rest }: ButtonProps) {
  const click = (event: MouseEvent<HTMLButtonElement>) => (busy ? event.preventDefault() : onClick?.(event));
  return (
    <button
      type="button"
      {...rest}
      className={`${buttonClass(kind, small)} ${rest.className ?? ''}`}
      aria-busy={busy || undefined}
      aria-disabled={busy || rest['aria-disabled']}
      onClick={click}
    >
      {busy ? <span className="spinner" aria-hidden="true" /> : icon !== undefined && <Icon name={icon} />}
      {label}
    </button>
  );
}

interface IconButtonProps extends Omit<ComponentPropsWithRef<'button'>, 'children'> {
  icon: IconName;
  /** The accessible name and tooltip. */
  label: string;
}

export const IconButton = ({ icon, label, ...rest }: IconButtonProps) => (
  <button type="button" {...rest} className={`icon-button ${rest.className ?? ''}`} aria-label={label} title={label}>
    <Icon name={icon} />
  </button>
);

interface AnchorProps extends Omit<ComponentPropsWithRef<'a'>, 'children'> {
  label: ReactNode;
  kind?: ButtonKind;
  small?: boolean;
  icon?: IconName;
}

/** A link to another site or a file that looks like a button. */
export const AnchorButton = ({ label, kind = 'primary', small = false, icon, ...rest }: AnchorProps) => (
  <a {...rest} className={buttonClass(kind, small)}>
    {icon !== undefined && <Icon name={icon} />}
    {label}
  </a>
);

/** A link within the console that looks like a button; the router types `to`. */
export const LinkButton = createLink(AnchorButton);
