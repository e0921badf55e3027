import { BoundedMap } from './bounded-map.ts';

interface Bucket {
  readonly spent: number;
  readonly sinceMs: number;
}

/** Allows each key `burst` at once, then one more per `refillMs`. Forgets the keys that were used least recently. */
export function createBurstLimit(limit: { burst: number; refillMs: number; maxKeys: number; nowMs: () => number }) {
  const { burst, refillMs, maxKeys, nowMs } = limit;
  const buckets = new BoundedMap<string, Bucket>({ maxSize: maxKeys });

  function read(key: string): Bucket {
    const { spent, sinceMs } = buckets.get(key) ?? { spent: 0, sinceMs: nowMs() };
    const refilled = Math.max(0, Math.floor((nowMs() - sinceMs) / refillMs));
    return { spent: Math.max(0, spent - refilled), sinceMs: sinceMs + refilled * refillMs };
  }

  return {
    /** Seconds to wait; null if one more is allowed now. */
    waitS(key: string): number | null {
      const { spent, sinceMs } = read(key);
      return spent < burst ? null : Math.max(1, Math.ceil((sinceMs + refillMs - nowMs()) / 1000));
    },
    spend(key: string): void {
      const { spent, sinceMs } = read(key);
      buckets.set(key, { spent: spent + 1, sinceMs });
    },
  };
}
