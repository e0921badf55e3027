import type { EndpointKey } from '../store/queue.ts';

/** Attempts in flight per process. Each takes a socket and little else. */
export const MAX_CONCURRENT_ATTEMPTS = 512;
/** The share for endpoints whose last attempt failed, so that hanging ones leave slots for the others. */
const MAX_CONCURRENT_FAILING = 256;
/** Concurrent attempts per endpoint: doubles after each success, starts over after a failure. */
const FIRST_LIMIT = 4;
const HIGHEST_LIMIT = 16;
/** Beyond this many endpoints, idle ones are removed. All they would keep is the result of their last attempt. */
const MAX_REMEMBERED = 5_000;

export interface EndpointState {
  readonly key: EndpointKey;
  limit: number;
  running: number;
  isFailing: boolean;
  /** Deliveries may be due that have not been claimed. */
  mayHaveMore: boolean;
}

/** Decides which endpoints get worker slots, and how many. An endpoint that hangs uses up only its own slots. */
export class EndpointScheduler {
  private readonly endpoints = new Map<string, EndpointState>();
  /** Endpoints that may have deliveries due and have free slots, least recently served first. */
  private readonly ready = new Set<EndpointState>();
  private total = 0;
  private failing = 0;

  get running(): number {
    return this.total;
  }

  find(key: EndpointKey): EndpointState {
    const name = `${key.organizationId} ${key.endpointId}`;
    let endpoint = this.endpoints.get(name);
    if (endpoint === undefined) {
      if (this.endpoints.size >= MAX_REMEMBERED) this.removeIdle();
      endpoint = { key, limit: FIRST_LIMIT, running: 0, isFailing: false, mayHaveMore: false };
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
    let free = MAX_CONCURRENT_ATTEMPTS - this.total;
    let freeForFailing = MAX_CONCURRENT_FAILING - this.failing;
    const chosen: { endpoint: EndpointState; slots: number }[] = [];
    for (const endpoint of this.ready) {
      if (free <= 0) break;
      const slots = Math.min(endpoint.limit - endpoint.running, free, endpoint.isFailing ? freeForFailing : free);
      if (slots <= 0) continue;
      free -= slots;
      if (endpoint.isFailing) freeForFailing -= slots;
      // Reset before the query, so that a mark set during the query is kept.
      endpoint.mayHaveMore = false;
      this.ready.delete(endpoint);
      chosen.push({ endpoint, slots });
    }
    return chosen;
  }

  begin(endpoint: EndpointState): void {
    endpoint.running += 1;
    this.total += 1;
    if (endpoint.isFailing) this.failing += 1;
  }

  /** `succeeded` is null if the attempt says nothing about the endpoint. */
  end(endpoint: EndpointState, succeeded: boolean | null): void {
    endpoint.running -= 1;
    this.total -= 1;
    if (endpoint.isFailing) this.failing -= 1;
    if (succeeded !== null) this.applyResult(endpoint, succeeded);
    this.offer(endpoint);
  }

  private applyResult(endpoint: EndpointState, succeeded: boolean): void {
    endpoint.limit = succeeded ? Math.min(HIGHEST_LIMIT, endpoint.limit * 2) : FIRST_LIMIT;
    if (endpoint.isFailing === succeeded) this.failing += succeeded ? -endpoint.running : endpoint.running;
    endpoint.isFailing = !succeeded;
  }

  private offer(endpoint: EndpointState): void {
    if (endpoint.mayHaveMore && endpoint.running < endpoint.limit) this.ready.add(endpoint);
  }

  private removeIdle(): void {
    for (const [name, { running, mayHaveMore }] of this.endpoints) {
      if (running === 0 && !mayHaveMore) this.endpoints.delete(name);
    }
  }
}
