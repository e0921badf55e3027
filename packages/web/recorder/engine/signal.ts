/** A minimal event emitter. A listener that throws does not affect the others. */
export class Signal<T extends unknown[]> {
  readonly #listeners = new Set<(...values: T) => void>();

  add(listener: (...values: T) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  emit(...values: T): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(...values);
      } catch (fault) {
        reportError(fault);
      }
    }
  }

  clear(): void {
    this.#listeners.clear();
  }
}

/** Calls back when a retry is likely to succeed: the signal or the member is back. Returns a function that stops listening. */
export function onResume(listener: () => void): () => void {
  const end = new AbortController();
  const { signal } = end;
  const notify = (): void => {
    if (document.visibilityState === 'visible') listener();
  };
  document.addEventListener('visibilitychange', notify, { signal });
  window.addEventListener('online', notify, { signal });
  // A page restored from the back/forward cache does not always report a visibility change. Each page reports that it is shown first.
  window.addEventListener('pageshow', ({ persisted }) => persisted && notify(), { signal });
  return () => end.abort();
}
