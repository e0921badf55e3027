/** Listeners of one happening. A listener that throws does not keep the others from hearing. */
export class Signal<T extends unknown[]> {
  readonly #listeners = new Set<(...told: T) => void>();

  add(listener: (...told: T) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(...told: T): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(...told);
      } catch (fault) {
        reportError(fault);
      }
    }
  }

  clear(): void {
    this.#listeners.clear();
  }
}
