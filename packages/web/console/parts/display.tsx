import { Link, type LinkProps } from '@tanstack/react-router';
import { type ReactNode, useEffect, useId, useState } from 'react';
import { useSession } from '../session.ts';
import { PARTS } from '../texts.ts';

/** Paths on a 24-unit grid, stroke 1.75. Icons are decoration: every use needs text or a label. */
const PATHS = {
  home: 'M4 11 12 4l8 7M6 9.5V20h12V9.5',
  settings: 'M4 7h9M17 7h3M15 5v4M4 17h3M11 17h9M9 15v4',
  chart: 'M5 20V11M12 20V4M19 20v-6',
  video:
    'M3 8.5A2.5 2.5 0 0 1 5.5 6h7A2.5 2.5 0 0 1 15 8.5v7a2.5 2.5 0 0 1-2.5 2.5h-7A2.5 2.5 0 0 1 3 15.5zM15 11l6-3.5v9L15 13',
  moment: 'M5 5h14v11h-8l-4 4v-4H5zM9 9h6M9 12h4',
  people:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 20a6.5 6.5 0 0 1 13 0M16 4.5a3.5 3.5 0 0 1 0 6.5M17.5 14a6.5 6.5 0 0 1 4 6',
  brand: 'M12 3.5 20.5 12 12 20.5 3.5 12zM12 8.5v7',
  code: 'M8 7l-5 5 5 5M16 7l5 5-5 5M13.5 5l-3 14',
  tray: 'M3.5 13 6 5h12l2.5 8v6h-17zM3.5 13H9a3 3 0 0 0 6 0h5.5',
  leave: 'M10 4.5H5v15h5M14 8l4 4-4 4M18 12H9',
  menu: 'M4 7h16M4 12h16M4 17h16',
  close: 'M6 6l12 12M18 6 6 18',
  back: 'M15 5l-7 7 7 7',
  next: 'M9 5l7 7-7 7',
  down: 'M6 9l6 6 6-6',
  up: 'M6 15l6-6 6 6',
  more: 'M5 11.2a.8.8 0 1 0 0 1.6.8.8 0 0 0 0-1.6zM12 11.2a.8.8 0 1 0 0 1.6.8.8 0 0 0 0-1.6zM19 11.2a.8.8 0 1 0 0 1.6.8.8 0 0 0 0-1.6z',
  plus: 'M6 12h12M12 6v12',
  search: 'M11 4a7 7 0 1 1 0 14 7 7 0 0 1 0-14zM16 16l4.5 4.5',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  note: 'M12 8v5M12 16.4v.1M12 3.5a8.5 8.5 0 1 1 0 17 8.5 8.5 0 0 1 0-17z',
  warn: 'M12 4 21 20H3zM12 10v4.5M12 17.2v.1',
  again: 'M4 12a8 8 0 1 0 2.6-5.9L4 8.5M4 4v4.5h4.5',
  send: 'M5 12h14M13 6l6 6-6 6',
  play: 'M8 5.5v13l10.5-6.5z',
  trash: 'M5 7h14M9.5 7V4h5v3M7 7l1 13h8l1-13M10.5 11v5M13.5 11v5',
  edit: 'M4 20v-4L16 4l4 4L8 20zM13.5 6.5l4 4',
  file: 'M6 3.5h8l4 4v13H6zM14 3.5v4h4M9 13h6M9 16.5h6',
  download: 'M12 4v11M7.5 10.5 12 15l4.5-4.5M5 20h14',
  upload: 'M12 15V4M7.5 8.5 12 4l4.5 4.5M5 20h14',
  phone:
    'M5 4h4l1.5 5L8 10.5a12 12 0 0 0 5.5 5.5L15 13.5l5 1.5v4a1.5 1.5 0 0 1-1.5 1.5A15 15 0 0 1 3.5 5.5 1.5 1.5 0 0 1 5 4z',
  clock: 'M12 3.5a8.5 8.5 0 1 1 0 17 8.5 8.5 0 0 1 0-17zM12 7.5V12l3 2',
  link: 'M10 14a4 4 0 0 0 5.7 0l3-3A4 4 0 0 0 13 5.3l-1 1M14 10a4 4 0 0 0-5.7 0l-3 3A4 4 0 0 0 11 18.7l1-1',
  outside: 'M13 4.5h6.5V11M19 5l-9 9M17 14v5.5H4.5V7H10',
  eye: 'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM12 9a3 3 0 1 1 0 6 3 3 0 0 1 0-6z',
  key: 'M15 4a5 5 0 1 1-4.3 7.5L4 18.2V20.5h3v-2h2v-2l2-2A5 5 0 0 1 15 4zM16 8h.1',
  filter: 'M4 6h16M7 12h10M10 18h4',
  signal:
    'M3 3l18 18M5 13a10 10 0 0 1 4-2.4M2 9.5a15 15 0 0 1 4.5-3M19 13a10 10 0 0 0-5-2.8M22 9.5A15 15 0 0 0 10.5 5.1M8.5 16.5a5 5 0 0 1 7 0M12 20v.1',
} as const;

export type IconName = keyof typeof PATHS;

export const Icon = ({ name }: { name: IconName }) => (
  <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d={PATHS[name]} />
  </svg>
);

const initialsOf = (name: string): string => {
  const words = name.split(/\s+/).filter((word) => word !== '');
  const [first = '', last = ''] = [words.at(0), words.length > 1 ? words.at(-1) : ''];
  return `${[...first][0] ?? ''}${[...last][0] ?? ''}`.toUpperCase();
};

interface AvatarProps {
  name: string;
  photo: string | null;
  size?: 'small' | 'medium' | 'large';
}

/** The initials, if there is no photo or it does not load. Hidden from screen readers: the name is always next to it. */
export function Avatar({ name, photo, size = 'medium' }: AvatarProps) {
  const [missing, setMissing] = useState<string | null>(null);
  return (
    <span className={`avatar avatar-${size}`} aria-hidden="true">
      {photo === null || photo === missing ? (
        initialsOf(name)
      ) : (
        <img src={photo} alt="" loading="lazy" onError={() => setMissing(photo)} />
      )}
    </span>
  );
}

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
      {title !== undefined && <p className="bold">{title}</p>}
      {children !== undefined && <div>{children}</div>}
    </div>
    {action}
  </div>
);

/** A one-word status. The color only repeats what the word says. */
export const Badge = ({ tone, children }: { tone?: Tone | undefined; children: ReactNode }) => (
  <span className={tone === undefined ? 'badge' : `badge tone-${tone}`}>{children}</span>
);

interface CardProps {
  title?: string;
  lead?: ReactNode;
  /** Shown next to the title. */
  actions?: ReactNode;
  children?: ReactNode;
}

/** A section of a page with an optional heading. */
export function Card({ title, lead, actions, children }: CardProps) {
  const id = useId();
  return (
    <section className="card" aria-labelledby={title === undefined ? undefined : id}>
      {title !== undefined && (
        <header className="wrap between card-header">
          <div className="grid gap-4">
            <h2 id={id}>{title}</h2>
            {lead !== undefined && <p className="lead">{lead}</p>}
          </div>
          {actions}
        </header>
      )}
      {children}
    </section>
  );
}

export type Definition = readonly [term: string, value: ReactNode];

/** Label and value pairs; leaves out values that are null or undefined. */
export const DefinitionList = ({ items }: { items: readonly Definition[] }) => (
  <dl className="grid">
    {items
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([term, value]) => (
        <div key={term} className="definition">
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
);

interface PageHeaderProps {
  /** The heading, and the window title together with the organization's name. */
  title: string;
  lead?: ReactNode;
  /** Buttons; on a phone they are below the text. */
  actions?: ReactNode;
  /** The parent page. */
  back?: { readonly to: NonNullable<LinkProps['to']>; readonly name: string } | undefined;
  /** A Badge next to the title. */
  badge?: ReactNode;
}

/** Starts every page, even while it loads, because its heading gets the focus. */
export function PageHeader({ title, lead, actions, back, badge }: PageHeaderProps) {
  const { organization } = useSession();
  useEffect(() => {
    document.title = `${title} · ${organization.name}`;
  }, [title, organization.name]);
  return (
    <header className="wrap between page-header">
      {back !== undefined && (
        <Link to={back.to} className="middle soft page-back">
          <Icon name="back" />
          {PARTS.back(back.name)}
        </Link>
      )}
      <div className="grid narrow gap-8">
        <div className="wrap middle page-title">
          <h1 tabIndex={-1}>{title}</h1>
          {badge}
        </div>
        {lead !== undefined && <p className="lead">{lead}</p>}
      </div>
      {actions !== undefined && <div className="form-actions page-actions">{actions}</div>}
    </header>
  );
}

interface PhonePreviewProps {
  /** The accessible name. */
  label: string;
  /** A page of this service, shown at phone width. */
  src?: string;
  /** Content instead of `src`, such as a MessageBubble. */
  children?: ReactNode;
}

/** Shows how the content looks on the recipient's phone. */
export const PhonePreview = ({ label, src, children }: PhonePreviewProps) => (
  <div className="phone">
    <div className="phone-screen">{src === undefined ? children : <iframe title={label} src={src} />}</div>
  </div>
);

/** A received text message. */
export const MessageBubble = ({ children }: { children: ReactNode }) => <p className="bubble">{children}</p>;

/** The lines of a row: what it is, and more about it. */
export const RowText = ({ main, children }: { main: ReactNode; children?: ReactNode }) => (
  <span className="row-text">
    <span className="medium">{main}</span>
    {children !== undefined && <span className="hint">{children}</span>}
  </span>
);
