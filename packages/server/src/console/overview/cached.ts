import { BoundedMap } from '../../platform/bounded-map.ts';

/** The statistics are expensive; a minute of staleness is fine. */
const MAX_AGE_MS = 60_000;
const MAX_SIZE = 200;

/** Concurrent callers share one computation. Failures are not cached. */
export interface Cache<T> {
  get(key: string, make: () => Promise<T>): Promise<T>;
}

export function createCache<T>(nowMs: () => number): Cache<T> {
  const cached = new BoundedMap<string, Promise<T>>({ maxSize: MAX_SIZE, maxAge: { ms: MAX_AGE_MS, nowMs } });
  return {
    get(key, make) {
      const known = cached.get(key);
      if (known !== undefined) return known;
      const value = make();
      cached.set(key, value);
      value.catch(() => {
        if (cached.get(key) === value) cached.delete(key);
      });
      return value;
    },
  };
}
