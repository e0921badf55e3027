import type pg from 'pg';
import { BoundedMap } from '../platform/bounded-map.ts';
import { monotonicMs } from '../platform/clock.ts';
import type { RateState } from '../platform/operations.ts';
import type { Caller } from './authenticator.ts';
import { takeTokens } from './store.ts';

export interface RateLimit {
  readonly perSecond: number;
  readonly burst: number;
}

type Kind = 'read' | 'write';

/** Reads have their own bucket, this many times larger. */
const READS_PER_WRITE = 5;
/** A node leases tokens for this long in advance, so that requests rarely wait for one. */
const LEASE_S = 0.2;
const RENEW_BELOW = 0.5;
/** An unused lease expires after this; by then the shared bucket has refilled by as much. */
const LEASE_LIFE_MS = 1_000;
const MAX_BUCKETS = 10_000;

/** The tokens of one key on this node, leased from the bucket in the database that all nodes share. */
class Bucket {
  private readonly pool: pg.Pool;
  private readonly caller: Caller;
  private readonly kind: Kind;
  private readonly limit: RateLimit;
  private tokens = 0;
  private leaseSize = 0;
  private sharedTokens: number;
  private takenMs = Number.NEGATIVE_INFINITY;
  private emptyUntilMs = Number.NEGATIVE_INFINITY;
  private waiting = 0;
  private taking: Promise<void> | undefined;

  constructor(pool: pg.Pool, caller: Caller, kind: Kind, limit: RateLimit) {
    this.pool = pool;
    this.caller = caller;
    this.kind = kind;
    this.limit = limit;
    this.sharedTokens = limit.burst;
  }

  admit(nowMs: number): RateState | Promise<RateState> {
    if (nowMs - this.takenMs > LEASE_LIFE_MS) this.tokens = 0;
    if (this.tokens >= 1) {
      this.tokens -= 1;
      if (this.tokens < this.leaseSize * RENEW_BELOW) this.take().catch(() => undefined);
      return this.state(true, nowMs);
    }
    return nowMs < this.emptyUntilMs ? this.state(false, nowMs) : this.admitLater();
  }

  private async admitLater(): Promise<RateState> {
    this.waiting += 1;
    try {
      // A lease in flight did not count this request and may bring no token for it, so a second one may follow.
      while (this.tokens < 1 && monotonicMs() >= this.emptyUntilMs) await this.take();
    } finally {
      this.waiting -= 1;
    }
    const allowed = this.tokens >= 1;
    if (allowed) this.tokens -= 1;
    return this.state(allowed, monotonicMs());
  }

  private take(): Promise<void> {
    this.taking ??= this.lease().finally(() => {
      this.taking = undefined;
    });
    return this.taking;
  }

  private async lease(): Promise<void> {
    // Requests that arrived in the same pass of the event loop share one query.
    await new Promise<void>((resolve) => setImmediate(resolve));
    const { perSecond, burst } = this.limit;
    const ahead = Math.max(1, Math.round(perSecond * LEASE_S));
    const { organizationId, keyId } = this.caller;
    const bucket = { organizationId, keyId, kind: this.kind, perSecond, burst };
    const { granted, remaining } = await takeTokens(this.pool, bucket, { waiting: this.waiting, ahead });
    const nowMs = monotonicMs();
    this.tokens += granted;
    this.leaseSize = granted;
    this.sharedTokens = remaining;
    this.takenMs = nowMs;
    if (granted === 0) this.emptyUntilMs = nowMs + ((1 - remaining) / perSecond) * 1000;
  }

  private state(allowed: boolean, nowMs: number): RateState {
    const { perSecond, burst } = this.limit;
    const refilled = (perSecond * Math.max(0, nowMs - this.takenMs)) / 1000;
    const left = Math.min(burst, this.sharedTokens + refilled + this.tokens);
    const retryAfterS = Math.max(1, Math.ceil((this.emptyUntilMs - nowMs) / 1000));
    return {
      allowed,
      limit: burst,
      remaining: allowed ? Math.floor(left) : 0,
      resetS: Math.ceil((burst - left) / perSecond),
      retryAfterS: allowed ? 0 : retryAfterS,
    };
  }
}

export interface Limiter {
  admit(caller: Caller, kind: Kind): RateState | null | Promise<RateState | null>;
}

export function createLimiter(pool: pg.Pool, limit: RateLimit | null): Limiter {
  if (limit === null) return { admit: () => null };
  const limits: Record<Kind, RateLimit> = {
    write: limit,
    read: { perSecond: limit.perSecond * READS_PER_WRITE, burst: limit.burst * READS_PER_WRITE },
  };
  // An evicted bucket loses nothing: the shared one holds the state.
  const buckets = new BoundedMap<string, Bucket>({ maxSize: MAX_BUCKETS });
  return {
    admit(caller, kind) {
      const name = `${caller.keyId} ${kind}`;
      let bucket = buckets.get(name);
      if (bucket === undefined) {
        bucket = new Bucket(pool, caller, kind, limits[kind]);
        buckets.set(name, bucket);
      }
      return bucket.admit(monotonicMs());
    },
  };
}
