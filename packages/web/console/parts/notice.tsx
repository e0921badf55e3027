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
  /** Screen readers announce it at once, as the result of an action. */
  live?: boolean;
}

/** A message within the page. */
export const Notice = ({ tone = 'info', title, children, action, live = false }: NoticeProps) => (
  <div className={`notice tone-${tone}`} role={live ? 'alert' : undefined}>
    <Icon name={ICONS[tone]} />
    <div className="notice-text">
      {title !== undefined && <p className="notice-title">{title}</p>}
      {children !== undefined && <div>{children}</div>}
    </div>
    {action}
  </div>
);

/** A one-word status. The color only repeats what the word says. */
export const Badge = ({ tone, children }: { tone?: Tone; children: ReactNode }) => (
  <span className={tone === undefined ? 'badge' : `badge tone-${tone}`}>{children}</span>
);
