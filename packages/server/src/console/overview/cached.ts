/** Dear to count, and as good a minute later. */
const LIFE_MS = 60_000;
const MOST = 200;

interface Entry<T> {
  readonly value: Promise<T>;
  readonly untilMs: number;
}

/** Answers of the last minute. Those who ask together wait for one; a failure is not kept. */
export interface Cache<T> {
  get(key: string, make: () => Promise<T>): Promise<T>;
}

export function createCache<T>(nowMs: () => number): Cache<T> {
  const entries = new Map<string, Entry<T>>();
  return {
    get(key, make) {
      const known = entries.get(key);
      if (known !== undefined && nowMs() < known.untilMs) return known.value;
      const entry = { value: make(), untilMs: nowMs() + LIFE_MS };
      // Set anew, so that the first of the map is the oldest.
      entries.delete(key);
      entries.set(key, entry);
      const [oldest] = entries.keys();
      if (entries.size > MOST && oldest !== undefined) entries.delete(oldest);
      entry.value.catch(() => {
        if (entries.get(key) === entry) entries.delete(key);
      });
      return entry.value;
    },
  };
}
