import type { ReactNode } from 'react';
import type { Tone } from './notice.tsx';

/** A status in a word. The colour repeats what the word says. */
export const Badge = ({ tone, children }: { tone?: Tone; children: ReactNode }) => (
  <span className={tone === undefined ? 'badge' : `badge tone-${tone}`}>{children}</span>
);
