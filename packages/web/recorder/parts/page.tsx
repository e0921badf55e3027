/** Folder: the components of the recorder's screens. */

import type { RecorderState } from '@foreword/contract';
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

export function Brand({ organization: { name, logo_url } }: { organization: RecorderState['organization'] }) {
  return <header class="brand">{logo_url === null ? name : <img src={logo_url} alt={name} height={28} />}</header>;
}
