import type { Histogram } from 'prom-client';

export interface BatcherOptions<T, R> {
  name: string;
  maxSize: number;
  /** How many flushes may be under way at once. */
  lanes: number;
  /** Writes all of them and answers each; `null` asks for another turn, behind the requests that overtook this one. */
  flush(items: T[]): Promise<(R | null)[]>;
  /** Whether a fault concerns the whole database rather than one of the items. */
  isTransient(error: unknown): boolean;
  sizes: Histogram<'batch'>;
}

interface Waiting<T, R> {
  item: T;
  turns: number;
  resolve(result: R): void;
  reject(error: unknown): void;
}

// A request that lost this many races in a row is not unlucky: something is wrong, and it must not spin.
const MAX_TURNS = 20;

/**
 * Requests that arrive together are written together; one that arrives alone goes at once. While every lane is busy the
 * next ones gather, so batches grow with the load and nobody waits for company.
 */
export class Batcher<T, R> {
  private readonly options: BatcherOptions<T, R>;
  private waiting: Waiting<T, R>[] = [];
  private running = 0;
  private writing = 0;
  private scheduled = false;
  private idle: (() => void)[] = [];

  constructor(options: BatcherOptions<T, R>) {
    this.options = options;
  }

  /** Items not yet answered. */
  get pending(): number {
    return this.waiting.length + this.writing;
  }

  add(item: T): Promise<R> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, turns: 0, resolve, reject });
      this.schedule();
    });
  }

  /** Resolves once everything that was added has its answer. */
  async drain(): Promise<void> {
    if (this.pending > 0) await new Promise<void>((resolve) => this.idle.push(resolve));
  }

  private schedule(): void {
    if (this.scheduled || this.running >= this.options.lanes) return;
    this.scheduled = true;
    // One turn of the event loop: what the same read of the sockets brought goes together.
    setImmediate(() => {
      this.scheduled = false;
      while (this.waiting.length > 0 && this.running < this.options.lanes) void this.run();
    });
  }

  private async run(): Promise<void> {
    this.running += 1;
    const batch = this.waiting.splice(0, this.options.maxSize);
    this.writing += batch.length;
    try {
      this.options.sizes.observe({ batch: this.options.name }, batch.length);
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
      return this.writeApart(batch, error);
    }
    for (const [i, waiting] of batch.entries()) {
      const result = results[i];
      if (result === undefined)
        waiting.reject(new Error(`${this.options.name}: a flush left an item without an answer`));
      else if (result !== null) waiting.resolve(result);
      else if (++waiting.turns < MAX_TURNS) this.waiting.push(waiting);
      else waiting.reject(new Error(`${this.options.name}: an item found no turn`));
    }
  }

  /** A fault in one must not fail its neighbours: each is written alone, so that only its own maker hears of it. */
  private async writeApart(batch: Waiting<T, R>[], error: unknown): Promise<void> {
    if (batch.length === 1 || this.options.isTransient(error)) {
      for (const waiting of batch) waiting.reject(error);
      return;
    }
    for (const waiting of batch) await this.write([waiting]);
  }
}
