import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icons.tsx';

interface NoteProps {
  icon?: IconName;
  tone?: 'calm' | 'warn' | 'bad';
  children: ComponentChildren;
}

export function Note({ icon = 'note', tone = 'calm', children }: NoteProps) {
  return (
    <p class={`note ${tone}`}>
      <Icon name={icon} />
      <span>{children}</span>
    </p>
  );
}
