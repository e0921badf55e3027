import { BoundedMap } from '../platform/bounded-map.ts';
import { monotonicMs } from '../platform/clock.ts';

const MAX_SIZE = 200;

/** Concurrent callers share one computation. Failures are not cached, nor are values that `isKept` rejects. */
interface Cache<T> {
  get(key: string, make: () => Promise<T>): Promise<T>;
}

export function createCache<T>(maxAgeMs: number, isKept: (value: T) => boolean = () => true): Cache<T> {
  const maxAge = { ms: maxAgeMs, nowMs: monotonicMs };
  const cached = new BoundedMap<string, Promise<T>>({ maxSize: MAX_SIZE, maxAge });
  return {
    get(key, make) {
      const known = cached.get(key);
      if (known !== undefined) return known;
      const value = make();
      cached.set(key, value);
      const forget = () => {
        if (cached.get(key) === value) cached.delete(key);
      };
      value.then((made) => isKept(made) || forget(), forget);
      return value;
    },
  };
}
