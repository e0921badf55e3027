import type pg from 'pg';
import { BoundedMap } from '../../platform/bounded-map.ts';
import { monotonicMs } from '../../platform/clock.ts';
import { Activity, FairQueue } from '../../platform/fair-queue.ts';
import type { Caller } from './service.ts';
import { type SharedBucket, takeTokens } from './store.ts';

export interface RateLimit {
  readonly perSecond: number;
  readonly burst: number;
}

interface RateState {
  /** Null if it was allowed. */
  readonly exceeded: 'key' | 'organization' | null;
  readonly limit: number;
  readonly remaining: number;
  readonly resetS: number;
  readonly retryAfterS: number;
}

type Kind = 'read' | 'write';

/** Reads have their own bucket, this many times larger. */
const READS_PER_WRITE = 5;
/** All keys of an organization together. One that uses its own limit up leaves as much for the others. */
const KEYS_PER_ORGANIZATION = 2;
/** A node leases tokens for this long in advance, so that requests rarely wait for one. */
const LEASE_S = 0.2;
const RENEW_BELOW = 0.5;
/** An unused lease expires after this; by then the shared bucket has refilled by as much. */
const LEASE_LIFE_MS = 1_000;
const MAX_BUCKETS = 10_000;

/** The tokens of one key or organization on this node, leased from the bucket in the database that all nodes share. */
class Bucket {
  private readonly pool: pg.Pool;
  readonly shared: SharedBucket;
  private tokens = 0;
  private leaseSize = 0;
  private sharedTokens: number;
  private takenMs = Number.NEGATIVE_INFINITY;
  private emptyUntilMs = Number.NEGATIVE_INFINITY;
  /** Tokens for which requests wait. */
  private waiting = 0;
  private taking: Promise<void> | undefined;

  constructor(pool: pg.Pool, shared: SharedBucket) {
    this.pool = pool;
    this.shared = shared;
    this.sharedTokens = shared.burst;
  }

  /** Takes the tokens of a request, if there are enough. */
  take(cost: number, nowMs: number): boolean | Promise<boolean> {
    if (nowMs - this.takenMs > LEASE_LIFE_MS) this.tokens = 0;
    if (this.tokens < cost) return nowMs < this.emptyUntilMs ? false : this.takeLater(cost);
    this.tokens -= cost;
    if (this.tokens < this.leaseSize * RENEW_BELOW) this.renew().catch(() => undefined);
    return true;
  }

  giveBack(cost: number): void {
    this.tokens += cost;
  }

  private async takeLater(cost: number): Promise<boolean> {
    this.waiting += cost;
    try {
      // A lease in flight did not count this request and may bring too few tokens for it, so a second one may follow.
      while (this.tokens < cost && monotonicMs() >= this.emptyUntilMs) await this.renew();
    } finally {
      this.waiting -= cost;
    }
    const isEnough = this.tokens >= cost;
    if (isEnough) this.tokens -= cost;
    return isEnough;
  }

  private renew(): Promise<void> {
    this.taking ??= this.lease().finally(() => {
      this.taking = undefined;
    });
    return this.taking;
  }

  private async lease(): Promise<void> {
    // Requests that arrived in the same pass of the event loop share one query.
    await new Promise<void>((resolve) => setImmediate(resolve));
    const { perSecond } = this.shared;
    const ahead = Math.max(1, Math.round(perSecond * LEASE_S));
    const { granted, remaining } = await takeTokens(this.pool, this.shared, { waiting: this.waiting, ahead });
    const nowMs = monotonicMs();
    this.tokens += granted;
    this.leaseSize = granted;
    this.sharedTokens = remaining;
    this.takenMs = nowMs;
    if (granted === 0) this.emptyUntilMs = nowMs + ((1 - remaining) / perSecond) * 1000;
  }

  left(nowMs: number): number {
    const { perSecond, burst } = this.shared;
    const refilled = (perSecond * Math.max(0, nowMs - this.takenMs)) / 1000;
    return Math.min(burst, this.sharedTokens + refilled + this.tokens);
  }

  state(exceeded: RateState['exceeded'], cost: number, nowMs: number): RateState {
    const { perSecond, burst } = this.shared;
    const left = this.left(nowMs);
    // From the first new token to the last one that the request needs. Tokens of this node may expire until then.
    const emptyS = (this.emptyUntilMs - nowMs) / 1000 + (cost - 1) / perSecond;
    return {
      exceeded,
      limit: burst,
      remaining: exceeded === null ? Math.floor(left) : 0,
      resetS: Math.ceil((burst - left) / perSecond),
      retryAfterS: exceeded === null ? 0 : Math.max(1, Math.ceil(emptyS)),
    };
  }
}

export interface Limiter {
  /** `cost`: the tokens that the request takes from the bucket of its key and from that of its organization. */
  admit(caller: Caller, kind: Kind, cost: number): RateState | null | Promise<RateState | null>;
}

export function createLimiter(pool: pg.Pool, limit: RateLimit | null): Limiter {
  if (limit === null) return { admit: () => null };
  const { perSecond, burst } = limit;
  // An evicted bucket loses nothing: the shared one holds the state.
  const buckets = new BoundedMap<string, Bucket>({ maxSize: MAX_BUCKETS });
  function find(organizationId: string, keyId: string, kind: Kind, keys: number): Bucket {
    const name = `${keyId} ${kind}`;
    let bucket = buckets.get(name);
    if (bucket === undefined) {
      const factor = keys * (kind === 'read' ? READS_PER_WRITE : 1);
      const size = { perSecond: perSecond * factor, burst: burst * factor };
      bucket = new Bucket(pool, { organizationId, keyId, kind, ...size });
      buckets.set(name, bucket);
    }
    return bucket;
  }
  return {
    admit({ organizationId, keyId }, kind, wanted) {
      const nowMs = monotonicMs();
      const ofKey = find(organizationId, keyId, kind, 1);
      const ofOrganization = find(organizationId, organizationId, kind, KEYS_PER_ORGANIZATION);
      // Otherwise, a list could cost more than a small bucket can hold.
      const cost = Math.min(wanted, ofKey.shared.burst);
      const isKeyIn = ofKey.take(cost, nowMs);
      if (isKeyIn === false) return ofKey.state('key', cost, nowMs);
      const isOrganizationIn = ofOrganization.take(cost, nowMs);
      if (isKeyIn === true && isOrganizationIn === true) return admitted(ofKey, ofOrganization, cost, nowMs);
      return Promise.all([isKeyIn, isOrganizationIn]).then(([isKeyAllowed, isOrganizationAllowed]) => {
        const laterMs = monotonicMs();
        if (isKeyAllowed && isOrganizationAllowed) return admitted(ofKey, ofOrganization, cost, laterMs);
        // Only the bucket that has too few tokens refuses the request.
        if (isKeyAllowed) ofKey.giveBack(cost);
        if (isOrganizationAllowed) ofOrganization.giveBack(cost);
        return isKeyAllowed ? ofOrganization.state('organization', cost, laterMs) : ofKey.state('key', cost, laterMs);
      });
    },
  };
}

/** The headers of the response describe the bucket that has less left. */
function admitted(ofKey: Bucket, ofOrganization: Bucket, cost: number, nowMs: number): RateState {
  const tighter = ofOrganization.left(nowMs) < ofKey.left(nowMs) ? ofOrganization : ofKey;
  return tighter.state(null, cost, nowMs);
}

/** Each request costs this much in addition to its rate limit tokens, because it occupies a connection to the database. */
export const CONNECTION_COST = 2;
/**
 * Alone, an organization gets two lists of 100, which keep one core busy, or 8 of the pool's 10 connections. Beside others it
 * gets one such list or 5 connections, so that they wait for the 4 ms that a list takes and not for a queue.
 */
const API = { capacity: 36, alone: 24, share: 17, rests: true };
/** Batches have limits of their own. Beside others, an organization fills half a batch, and theirs go into the same one. */
const BATCHED = { capacity: Number.POSITIVE_INFINITY, alone: Number.POSITIVE_INFINITY, share: 10, rests: false };
/** Reports wait for seconds without keeping the process busy, and a page sends several requests at once. */
const CONSOLE = { capacity: 24, alone: 16, share: 8, rests: true };

export type RequestQueues = ReturnType<typeof createRequestQueues>;

/** One queue for each kind of request, so that none of them waits for another kind. */
export function createRequestQueues() {
  const activity = new Activity(monotonicMs);
  return {
    api: new FairQueue(API, activity),
    /** Requests that are written in batches: they only wait while their own organization has many of them. */
    batched: new FairQueue(BATCHED, activity),
    console: new FairQueue(CONSOLE, activity),
  };
}
