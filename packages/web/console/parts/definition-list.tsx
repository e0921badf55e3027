import type { ReactNode } from 'react';

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
