import { FRAME } from '../texts/common.ts';

/** Placeholder rows. They appear with a delay, so that fast loads do not flicker. */
export const SkeletonRows = ({ rows = 4, title = false }: { rows?: number; title?: boolean }) => (
  <div className="skeleton" role="status">
    <span className="sr">{FRAME.loading}</span>
    {title && <span className="skeleton-line skeleton-title" />}
    {Array.from({ length: rows }, (_, row) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the rows are identical.
      <span key={row} className="skeleton-line" />
    ))}
  </div>
);
