import { FRAME } from '../texts/common.ts';

/** Bones where lines will stand. They come late, so that what loads fast does not flicker. */
export const SkeletonRows = ({ rows = 4, title = false }: { rows?: number; title?: boolean }) => (
  <div className="bones" role="status">
    <span className="sr">{FRAME.loading}</span>
    {title && <span className="bone bone-title" />}
    {Array.from({ length: rows }, (_, row) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same.
      <span key={row} className="bone" />
    ))}
  </div>
);
