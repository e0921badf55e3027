import { Link, type LinkProps } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { useSession } from '../session.ts';
import { FRAME, PARTS } from '../texts/common.ts';
import { Icon } from './icon.tsx';

interface PageHeaderProps {
  /** The heading, and the window title together with the organization's name. */
  title: string;
  lead?: ReactNode;
  /** Buttons; on a phone they are below the text. */
  actions?: ReactNode;
  /** The parent page. */
  back?: { readonly to: NonNullable<LinkProps['to']>; readonly name: string };
  /** A Badge next to the title. */
  badge?: ReactNode;
}

/** Starts every page, even while it loads, because its heading gets the focus. */
export function PageHeader({ title, lead, actions, back, badge }: PageHeaderProps) {
  const { organization } = useSession();
  useEffect(() => {
    document.title = FRAME.documentTitle(title, organization.name);
  }, [title, organization.name]);
  return (
    <header className="page-header">
      {back !== undefined && (
        <Link to={back.to} className="page-back">
          <Icon name="back" />
          {PARTS.back(back.name)}
        </Link>
      )}
      <div className="page-text">
        <div className="page-title">
          <h1 tabIndex={-1}>{title}</h1>
          {badge}
        </div>
        {lead !== undefined && <p className="page-lead">{lead}</p>}
      </div>
      {actions !== undefined && <div className="page-actions">{actions}</div>}
    </header>
  );
}
