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
