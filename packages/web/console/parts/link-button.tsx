import { createLink } from '@tanstack/react-router';
import type { ComponentPropsWithRef } from 'react';
import { type ButtonKind, buttonClass } from './button.tsx';
import { Icon, type IconName } from './icon.tsx';

interface AnchorProps extends ComponentPropsWithRef<'a'> {
  kind?: ButtonKind;
  small?: boolean;
  icon?: IconName;
}

/** A link to another site or a file that looks like a button. */
export const AnchorButton = ({ kind = 'primary', small = false, icon, children, ...rest }: AnchorProps) => (
  <a {...rest} className={buttonClass(kind, small)}>
    {icon !== undefined && <Icon name={icon} />}
    {children}
  </a>
);

/** A link within the console that looks like a button; the router types `to`. */
export const LinkButton = createLink(AnchorButton);
