import { monotonicMs } from './clock.ts';

interface Bounds {
  readonly maxSize: number;
  /** Entries expire this long after they were set; `nowMs` is a clock for durations. */
  readonly maxAge?: { readonly ms: number; readonly nowMs: () => number };
}

interface Entry<V> {
  readonly value: V;
  readonly untilMs: number;
}

/**
 * A map that evicts entries that have not been used for a while. A use moves an entry only out of the older half: moving it every time
 * would cost more than computing most of these values.
 */
export class BoundedMap<K, V> {
  #recent = new Map<K, Entry<V>>();
  #older = new Map<K, Entry<V>>();
  readonly #maxSize: number;
  readonly #maxAge: Bounds['maxAge'];

  constructor({ maxSize, maxAge }: Bounds) {
    this.#maxSize = maxSize;
    this.#maxAge = maxAge;
  }

  get size(): number {
    return this.#recent.size + this.#older.size;
  }

  /** Counts as a use, unlike `has`. */
  get(key: K): V | undefined {
    const entry = this.#recent.get(key) ?? this.#older.get(key);
    if (entry === undefined) return undefined;
    if (this.#isExpired(entry)) {
      this.delete(key);
      return undefined;
    }
    if (this.#older.delete(key)) this.#add(key, entry);
    return entry.value;
  }

  has(key: K): boolean {
    const entry = this.#recent.get(key) ?? this.#older.get(key);
    return entry !== undefined && !this.#isExpired(entry);
  }

  set(key: K, value: V): void {
    const untilMs = this.#maxAge === undefined ? Number.POSITIVE_INFINITY : this.#maxAge.nowMs() + this.#maxAge.ms;
    this.delete(key);
    this.#add(key, { value, untilMs });
  }

  delete(key: K): void {
    if (!this.#recent.delete(key)) this.#older.delete(key);
  }

  deleteWhere(matches: (value: V) => boolean): void {
    for (const entries of [this.#recent, this.#older]) {
      for (const [key, { value }] of entries) if (matches(value)) entries.delete(key);
    }
  }

  clear(): void {
    this.#recent.clear();
    this.#older.clear();
  }

  #add(key: K, entry: Entry<V>): void {
    if (this.#recent.size >= this.#maxSize / 2) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(key, entry);
  }

  #isExpired({ untilMs }: Entry<V>): boolean {
    return this.#maxAge !== undefined && this.#maxAge.nowMs() >= untilMs;
  }
}

const MAX_SIZE = 200;

/** Concurrent callers share one computation. Failures are not cached, nor are values that `isKept` rejects. */
export function createCache<T>(maxAgeMs: number, isKept: (value: T) => boolean = () => true) {
  const maxAge = { ms: maxAgeMs, nowMs: monotonicMs };
  const cached = new BoundedMap<string, Promise<T>>({ maxSize: MAX_SIZE, maxAge });
  return {
    get(key: string, make: () => Promise<T>): Promise<T> {
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

/** Loads once, at the first call. After a failure, the next call tries again: its cause may have been fixed. */
export function loadOnce<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loading: Promise<Value> | undefined;
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}
