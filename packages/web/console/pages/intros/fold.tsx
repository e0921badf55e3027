import { type ReactNode, useId } from 'react';
import { Icon } from '../../parts/icon.tsx';

interface FoldProps {
  title: string;
  /** How many things are inside. */
  count?: number;
  children: ReactNode;
}

/** A card that is closed at first, because most users do not need its content. */
export function Fold({ title, count, children }: FoldProps) {
  const id = useId();
  return (
    <details className="card intro-fold" aria-labelledby={id}>
      <summary>
        <h2 id={id}>{title}</h2>
        {count !== undefined && <span className="intro-fold-count">{count}</span>}
        <Icon name="down" />
      </summary>
      <div className="intro-fold-body">{children}</div>
    </details>
  );
}
