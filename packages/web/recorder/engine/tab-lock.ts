import { expireAfter } from './clock.ts';

/** A page that is being reloaded lets go of its locks a moment after the new one runs. */
const PATIENCE_MS = 1_000;

/**
 * One tab at a time works on a take; the browser frees the lock when the tab dies.
 * Null: another tab has it. Where there are no locks, everybody gets one.
 */
export async function lockTake(takeId: string): Promise<(() => void) | null> {
  if (!navigator.locks) return () => undefined;
  return new Promise((resolve) => {
    const held = (): Promise<void> => new Promise((release) => resolve(release));
    navigator.locks
      .request(`foreword-take-${takeId}`, { signal: expireAfter(PATIENCE_MS) }, held)
      .catch(() => resolve(null));
  });
}
