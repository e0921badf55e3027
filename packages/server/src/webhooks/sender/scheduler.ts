import type { EndpointKey } from '../store/queue.ts';

/** Attempts in flight per process. Each takes a socket and little else. */
export const MAX_CONCURRENT_ATTEMPTS = 512;
/** The share for endpoints whose last attempt failed, so that hanging ones leave slots for the others. */
const MAX_CONCURRENT_FAILING = 256;
/**
 * An organization may have up to twice as many attempts in flight as there are free slots. Alone that is two thirds of them, more
 * than its endpoints need; beside others like it, each gets less, and some slots are always free for the next one.
 */
const PER_FREE_SLOT = 2;
/** Concurrent attempts per endpoint: doubles after each success, starts over after a failure. */
const FIRST_LIMIT = 4;
const HIGHEST_LIMIT = 16;
/** Beyond this many endpoints, idle ones are removed. All they would keep is the result of their last attempt. */
const MAX_REMEMBERED = 5_000;

/** Attempts in flight. */
interface InFlight {
  total: number;
  /** To endpoints whose last attempt failed. */
  failing: number;
}

export interface EndpointState {
  readonly key: EndpointKey;
  readonly organization: InFlight;
  limit: number;
  running: number;
  isFailing: boolean;
  /** Deliveries may be due that have not been claimed. */
  mayHaveMore: boolean;
}

/** How many more slots an organization may take that already has `taken`, when so many are free. */
const shareOf = (free: number, taken: number): number =>
  Math.max(0, Math.ceil((PER_FREE_SLOT * free - taken) / (PER_FREE_SLOT + 1)));

/** Decides which endpoints get worker slots, and how many. An endpoint that hangs uses up only its organization's slots. */
export class EndpointScheduler {
  private readonly endpoints = new Map<string, EndpointState>();
  private readonly organizations = new Map<string, InFlight>();
  /** Endpoints that may have deliveries due and have free slots, least recently served first. */
  private readonly ready = new Set<EndpointState>();
  private readonly inFlight: InFlight = { total: 0, failing: 0 };

  get running(): number {
    return this.inFlight.total;
  }

  find(key: EndpointKey): EndpointState {
    const name = `${key.organizationId} ${key.endpointId}`;
    let endpoint = this.endpoints.get(name);
    if (endpoint === undefined) {
      if (this.endpoints.size >= MAX_REMEMBERED) this.removeIdle();
      const organization = this.organizations.get(key.organizationId) ?? { total: 0, failing: 0 };
      this.organizations.set(key.organizationId, organization);
      endpoint = { key, organization, limit: FIRST_LIMIT, running: 0, isFailing: false, mayHaveMore: false };
      this.endpoints.set(name, endpoint);
    }
    return endpoint;
  }

  /** Records that the endpoint may have deliveries due. */
  mark(endpoint: EndpointState): void {
    endpoint.mayHaveMore = true;
    this.offer(endpoint);
  }

  /** The endpoints to claim deliveries for, with the slots of each. Not chosen again until marked again. */
  choose(): { endpoint: EndpointState; slots: number }[] {
    const planned = { ...this.inFlight };
    const plannedOf = new Map<InFlight, InFlight>();
    const chosen: { endpoint: EndpointState; slots: number }[] = [];
    for (const endpoint of this.ready) {
      if (planned.total >= MAX_CONCURRENT_ATTEMPTS) break;
      const own = plannedOf.get(endpoint.organization) ?? { ...endpoint.organization };
      const slots = Math.min(
        endpoint.limit - endpoint.running,
        shareOf(MAX_CONCURRENT_ATTEMPTS - planned.total, own.total),
        endpoint.isFailing ? shareOf(MAX_CONCURRENT_FAILING - planned.failing, own.failing) : Number.POSITIVE_INFINITY,
      );
      if (slots <= 0) continue;
      for (const count of [planned, own]) {
        count.total += slots;
        if (endpoint.isFailing) count.failing += slots;
      }
      plannedOf.set(endpoint.organization, own);
      // Reset before the query, so that a mark set during the query is kept.
      endpoint.mayHaveMore = false;
      this.ready.delete(endpoint);
      chosen.push({ endpoint, slots });
    }
    return chosen;
  }

  begin(endpoint: EndpointState): void {
    endpoint.running += 1;
    this.count(endpoint, { total: 1, failing: endpoint.isFailing ? 1 : 0 });
  }

  /** `succeeded` is null if the attempt says nothing about the endpoint. */
  end(endpoint: EndpointState, succeeded: boolean | null): void {
    endpoint.running -= 1;
    this.count(endpoint, { total: -1, failing: endpoint.isFailing ? -1 : 0 });
    if (succeeded !== null) this.applyResult(endpoint, succeeded);
    this.offer(endpoint);
  }

  private count({ organization }: EndpointState, { total, failing }: InFlight): void {
    for (const count of [this.inFlight, organization]) {
      count.total += total;
      count.failing += failing;
    }
  }

  private applyResult(endpoint: EndpointState, succeeded: boolean): void {
    endpoint.limit = succeeded ? Math.min(HIGHEST_LIMIT, endpoint.limit * 2) : FIRST_LIMIT;
    if (endpoint.isFailing === succeeded)
      this.count(endpoint, { total: 0, failing: succeeded ? -endpoint.running : endpoint.running });
    endpoint.isFailing = !succeeded;
  }

  private offer(endpoint: EndpointState): void {
    if (endpoint.mayHaveMore && endpoint.running < endpoint.limit) this.ready.add(endpoint);
  }

  private removeIdle(): void {
    for (const [name, { running, mayHaveMore }] of this.endpoints) {
      if (running === 0 && !mayHaveMore) this.endpoints.delete(name);
    }
    const kept = new Set([...this.endpoints.values()].map(({ organization }) => organization));
    for (const [id, organization] of this.organizations) if (!kept.has(organization)) this.organizations.delete(id);
  }
}
