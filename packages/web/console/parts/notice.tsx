import type { ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';

export type Tone = 'info' | 'good' | 'warn' | 'bad';

const ICONS: Record<Tone, IconName> = { info: 'note', good: 'check', warn: 'warn', bad: 'warn' };

interface NoticeProps {
  tone?: Tone;
  title?: string;
  children?: ReactNode;
  /** A small button or a link. */
  action?: ReactNode;
  /** It comes in answer to something just done, and is read out at once. */
  live?: boolean;
}

/** Something to know about this page, in it. */
export const Notice = ({ tone = 'info', title, children, action, live = false }: NoticeProps) => (
  <div className={`notice tone-${tone}`} role={live ? 'alert' : undefined}>
    <Icon name={ICONS[tone]} />
    <div className="notice-words">
      {title !== undefined && <p className="notice-title">{title}</p>}
      {children !== undefined && <div>{children}</div>}
    </div>
    {action}
  </div>
);
