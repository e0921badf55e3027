import type { ComponentPropsWithRef, MouseEvent } from 'react';
import { Icon, type IconName } from './icon.tsx';

/** `primary`: the one thing to do here. `quiet`: others. `plain`: as text. `danger`: takes something away. */
export type ButtonKind = 'primary' | 'quiet' | 'plain' | 'danger';

export const buttonClass = (kind: ButtonKind, small: boolean): string => `button ${kind}${small ? ' small' : ''}`;

export interface ButtonProps extends ComponentPropsWithRef<'button'> {
  kind?: ButtonKind;
  /** What it asked of the server is under way: it keeps the focus, and does nothing more. */
  busy?: boolean;
  small?: boolean;
  icon?: IconName;
}

export function Button({ kind = 'primary', busy = false, small = false, icon, onClick, ...rest }: ButtonProps) {
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
      {rest.children}
    </button>
  );
}

export interface IconButtonProps extends Omit<ComponentPropsWithRef<'button'>, 'children'> {
  icon: IconName;
  /** Said instead of the picture. */
  label: string;
}

export const IconButton = ({ icon, label, ...rest }: IconButtonProps) => (
  <button type="button" {...rest} className={`icon-button ${rest.className ?? ''}`} aria-label={label} title={label}>
    <Icon name={icon} />
  </button>
);
