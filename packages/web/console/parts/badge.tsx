import type { ReactNode } from 'react';
import type { Tone } from './notice.tsx';

/** A one-word status. The color only repeats what the word says. */
export const Badge = ({ tone, children }: { tone?: Tone; children: ReactNode }) => (
  <span className={tone === undefined ? 'badge' : `badge tone-${tone}`}>{children}</span>
);
