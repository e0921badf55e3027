import type { ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';

interface EmptyStateProps {
  title: string;
  /** Explains what will appear here and how. */
  children?: ReactNode;
  icon?: IconName;
  /** A button or a link. */
  action?: ReactNode;
}

export const EmptyState = ({ title, children, icon, action }: EmptyStateProps) => (
  <div className="state">
    {icon !== undefined && <Icon name={icon} />}
    <h2>{title}</h2>
    {children !== undefined && <p>{children}</p>}
    {action}
  </div>
);
