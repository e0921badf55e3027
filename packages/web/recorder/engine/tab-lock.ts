import { expireAfter } from './clock.ts';

/** A reloading page releases its locks a moment after the new page starts. */
const PATIENCE_MS = 1_000;

/**
 * Only one tab works on a take; the browser releases the lock when the tab closes.
 * Null: another tab has it. Browsers without locks always grant it.
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
