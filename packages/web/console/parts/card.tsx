import { type ReactNode, useId } from 'react';

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
        <header className="card-header">
          <div>
            <h2 id={id}>{title}</h2>
            {lead !== undefined && <p className="card-lead">{lead}</p>}
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
  <dl className="definitions">
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
