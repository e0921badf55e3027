import { monotonicMs } from './clock.ts';
import type { QueuedClient } from './fair-queue.ts';

/** How often waiting requests are checked. */
const POLL_MS = 100;
/** 1,000 of them take 26 MB of memory. */
const MAX_WAITING = 2_000;
/** Leaves places for the other keys. */
const MAX_WAITING_PER_KEY = 500;

/** A kind of object that requests can wait for. */
export interface Watched<Item> {
  /** Returns the positions of the items that have changed. */
  findChanged(items: readonly Item[]): Promise<readonly number[]>;
}

interface WatchedObject<T, Item> {
  read(): Promise<T>;
  /** The change to wait for; null if there is no need to wait. */
  changeOf(object: T): Item | null;
}

/** The connection of a waiting request. */
export interface WaitingClient extends QueuedClient {
  /** Each key may have some waiting requests. */
  readonly keyId: string;
  /** Adds advice for the caller to the response, in ASCII. */
  advise(hint: string): void;
  /** Lets other requests run in the meantime. */
  leaveFor<T>(waiting: Promise<T>): Promise<T>;
  /** Throws when the key was revoked in the meantime. */
  reauthenticate(): Promise<void>;
  /** Time that does not count as the duration of the request. */
  addWaitedMs(ms: number): void;
}

interface WaitOptions {
  /** 0: does not wait. */
  readonly seconds: number;
  readonly client: WaitingClient | undefined;
}

const REFUSED = `Too many requests are waiting (a key may have ${MAX_WAITING_PER_KEY}), so this one did not wait.`;

interface Waiter {
  readonly watched: Watched<unknown>;
  readonly item: unknown;
  end(): void;
}

/** Makes requests wait for changes. All those of a process share one query per poll and kind, and hold no connection. */
export class LongPoll {
  private readonly waiters = new Set<Waiter>();
  private readonly countByKey = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;
  private isPolling = false;
  private stopped = false;

  /** Number of waiting requests. */
  get waiting(): number {
    return this.waiters.size;
  }

  /** Reads an object, waits until it has changed, and reads it again. */
  async retrieve<T, Item>(
    watched: Watched<Item>,
    object: WatchedObject<T, Item>,
    { seconds, client }: WaitOptions,
  ): Promise<T> {
    const body = await object.read();
    const change = seconds === 0 ? null : object.changeOf(body);
    if (change === null || client === undefined || this.stopped || !client.isConnected) return body;
    if (this.waiters.size >= MAX_WAITING || (this.countByKey.get(client.keyId) ?? 0) >= MAX_WAITING_PER_KEY) {
      client.advise(REFUSED);
      return body;
    }
    const end = await client.leaveFor(this.waitFor(watched as Watched<unknown>, change, seconds, client));
    if (end === 'disconnected') return body;
    await client.reauthenticate();
    return object.read();
  }

  /** Ends every wait; later ones end at once. */
  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
    for (const waiter of [...this.waiters]) waiter.end();
  }

  /** Resolves when something changed or the time is over. */
  private waitFor(watched: Watched<unknown>, item: unknown, seconds: number, client: WaitingClient) {
    const { keyId } = client;
    return new Promise<'ended' | 'disconnected'>((resolve) => {
      const sinceMs = monotonicMs();
      const leave = (result: 'ended' | 'disconnected') => {
        if (!this.waiters.delete(waiter)) return;
        clearTimeout(deadline);
        removeListener();
        this.addToKey(keyId, -1);
        client.addWaitedMs(monotonicMs() - sinceMs);
        resolve(result);
      };
      const waiter: Waiter = { watched, item, end: () => leave('ended') };
      const deadline = setTimeout(waiter.end, seconds * 1_000);
      const removeListener = client.onDisconnect(() => leave('disconnected'));
      this.waiters.add(waiter);
      this.addToKey(keyId, 1);
      this.schedule();
    });
  }

  private addToKey(keyId: string, change: number): void {
    const count = (this.countByKey.get(keyId) ?? 0) + change;
    if (count === 0) this.countByKey.delete(keyId);
    else this.countByKey.set(keyId, count);
  }

  private schedule(): void {
    if (this.isPolling || this.waiters.size === 0) return;
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      void this.poll();
    }, POLL_MS);
  }

  private async poll(): Promise<void> {
    const kinds = Map.groupBy(this.waiters, ({ watched }) => watched);
    this.isPolling = true;
    await Promise.all([...kinds].map(([watched, waiters]) => pollKind(watched, waiters)));
    this.isPolling = false;
    this.schedule();
  }
}

async function pollKind(watched: Watched<unknown>, waiters: readonly Waiter[]): Promise<void> {
  try {
    const changed = await watched.findChanged(waiters.map(({ item }) => item));
    for (const position of changed) waiters[position]?.end();
  } catch {
    // The database is not available. The next poll finds the changes, or the last read of each request reports the fault.
  }
}
