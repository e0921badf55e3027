import { FRAME } from '../texts/common.ts';

/** Placeholder rows. They appear with a delay, so that fast loads do not flicker. */
export const SkeletonRows = ({ rows = 4, title = false }: { rows?: number; title?: boolean }) => (
  <div className="bones" role="status">
    <span className="sr">{FRAME.loading}</span>
    {title && <span className="bone bone-title" />}
    {Array.from({ length: rows }, (_, row) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the rows are identical.
      <span key={row} className="bone" />
    ))}
  </div>
);
