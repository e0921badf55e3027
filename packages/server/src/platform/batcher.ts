import { monotonicMs } from './clock.ts';
import { overloaded } from './errors.ts';

interface BatcherOptions<T, R> {
  name: string;
  maxSize: number;
  /** How many batches may be in flight at once. */
  maxConcurrent: number;
  /** Writes the batch and returns one result per item; `null` puts the item back at the end of the queue. */
  flush(items: T[]): Promise<(R | null)[]>;
  /** True when a fault concerns the whole database rather than one of the items. */
  isTransient(error: unknown): boolean;
  /** Without it, items wait for as long as it takes. */
  queueLimit?: { readonly items: number; readonly ms: number };
}

interface Waiting<T, R> {
  item: T;
  sinceMs: number;
  attempts: number;
  resolve(result: R): void;
  reject(error: unknown): void;
}

// An item that lost this many races in a row is not unlucky: something is wrong, and it must not spin.
const MAX_ATTEMPTS = 20;

/**
 * Writes items in batches. An item that arrives alone is written at once; while all batches in flight are busy, new items
 * queue up, so batches grow with the load.
 */
export class Batcher<T, R> {
  private readonly options: BatcherOptions<T, R>;
  private waiting: Waiting<T, R>[] = [];
  private running = 0;
  private writing = 0;
  private scheduled = false;
  private idle: (() => void)[] = [];
  private expiry: NodeJS.Timeout | undefined;

  constructor(options: BatcherOptions<T, R>) {
    this.options = options;
  }

  /** Number of items without a result yet. */
  get pending(): number {
    return this.waiting.length + this.writing;
  }

  add(item: T): Promise<R> {
    const { queueLimit } = this.options;
    if (queueLimit !== undefined && this.waiting.length >= queueLimit.items) return Promise.reject(overloaded());
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, sinceMs: monotonicMs(), attempts: 0, resolve, reject });
      this.schedule();
      this.expireLater();
    });
  }

  /** Resolves once every added item has its result. */
  async drain(): Promise<void> {
    if (this.pending > 0) await new Promise<void>((resolve) => this.idle.push(resolve));
  }

  private schedule(): void {
    if (this.scheduled || this.running >= this.options.maxConcurrent) return;
    this.scheduled = true;
    // Requests read from the sockets in one pass of the event loop share a batch.
    setImmediate(() => {
      this.scheduled = false;
      while (this.waiting.length > 0 && this.running < this.options.maxConcurrent) void this.run();
    });
  }

  /** Rejects items that have waited too long: their callers give up soon, and writing them would delay the others. */
  private expire(): void {
    const latestMs = monotonicMs() - (this.options.queueLimit?.ms ?? Number.POSITIVE_INFINITY);
    const isExpired = ({ sinceMs }: Waiting<T, R>) => sinceMs <= latestMs;
    for (const waiting of this.waiting.filter(isExpired)) waiting.reject(overloaded());
    this.waiting = this.waiting.filter((waiting) => !isExpired(waiting));
    this.expireLater();
  }

  /** One timer for the whole queue, and only while items wait behind batches in flight. */
  private expireLater(): void {
    const { queueLimit, maxConcurrent } = this.options;
    const [oldest] = this.waiting;
    if (queueLimit === undefined || oldest === undefined || this.expiry !== undefined) return;
    if (this.running < maxConcurrent) return;
    const dueInMs = oldest.sinceMs + queueLimit.ms - monotonicMs();
    this.expiry = setTimeout(() => {
      this.expiry = undefined;
      this.expire();
    }, dueInMs).unref();
  }

  private async run(): Promise<void> {
    this.running += 1;
    const batch = this.waiting.splice(0, this.options.maxSize);
    this.writing += batch.length;
    try {
      await this.write(batch);
    } finally {
      this.running -= 1;
      this.writing -= batch.length;
      if (this.waiting.length > 0) this.schedule();
      else if (this.running === 0) for (const resolve of this.idle.splice(0)) resolve();
    }
  }

  private async write(batch: Waiting<T, R>[]): Promise<void> {
    let results: (R | null)[];
    try {
      results = await this.options.flush(batch.map(({ item }) => item));
    } catch (error) {
      return this.writeSeparately(batch, error);
    }
    for (const [i, waiting] of batch.entries()) {
      const result = results[i];
      if (result === undefined) waiting.reject(new Error(`${this.options.name}: flush returned no result for an item`));
      else if (result !== null) waiting.resolve(result);
      else if (++waiting.attempts < MAX_ATTEMPTS) this.waiting.push(waiting);
      else waiting.reject(new Error(`${this.options.name}: gave up after ${MAX_ATTEMPTS} attempts`));
    }
  }

  /** Writes each item alone, so that a bad one does not fail the rest of its batch. */
  private async writeSeparately(batch: Waiting<T, R>[], error: unknown): Promise<void> {
    if (batch.length === 1 || this.options.isTransient(error)) {
      for (const waiting of batch) waiting.reject(error);
      return;
    }
    for (const waiting of batch) await this.write([waiting]);
  }
}
