import type { ReactNode } from 'react';

export type Definition = readonly [term: string, value: ReactNode];

/** Facts, a line each. What is null or undefined is left out. */
export const DefinitionList = ({ items }: { items: readonly Definition[] }) => (
  <dl className="facts">
    {items
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([term, value]) => (
        <div key={term} className="fact">
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
);
