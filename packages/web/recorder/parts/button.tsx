import type { ButtonHTMLAttributes } from 'preact';
import { Icon, type IconName } from './icons.tsx';

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'icon' | 'label'> {
  kind?: 'main' | 'quiet' | 'plain';
  icon?: IconName;
  label: string;
}

export const Button = ({ kind = 'main', icon, label, ...rest }: ButtonProps) => (
  <button type="button" class={kind === 'main' ? 'button' : `button ${kind}`} {...rest}>
    {icon !== undefined && <Icon name={icon} />}
    {label}
  </button>
);
