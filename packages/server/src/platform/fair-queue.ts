import { ApiError, overloaded } from './errors.ts';

/** An organization whose last request is older than this has no claim to a share. */
const ACTIVE_MS = 1_000;
/** Only requests that queue behind dozens of slow ones of their own organization wait for so long. */
const MAX_WAIT_MS = 5_000;
/** A request that took longer waited for something else, and kept the process busy only in part. */
const MAX_REST_MS = 50;
/** Requests of one organization; their bodies are in memory. Many more than a second's worth. */
const MAX_WAITING = 4_000;

/** Limits in units of cost, which the caller defines. A request that exceeds a limit by itself runs alone. */
export interface FairLimits {
  /** All organizations together. */
  readonly capacity: number;
  /** One organization, while no other one is active. Less than the capacity, so that the next one can start at once. */
  readonly alone: number;
  /** One organization, while others are active. */
  readonly share: number;
  /**
   * Whether an organization with a queue, while others are active, starts its next request only after as much time as the last
   * one took. It gets half of the process then, and the others find the event loop and PostgreSQL idle.
   */
  readonly rests: boolean;
}

/** The connection of a request. */
export interface QueuedClient {
  readonly isConnected: boolean;
  /** Returns a function that removes the listener. */
  onDisconnect(listener: () => void): () => void;
}

/** Knows whether an organization is the only one with requests. The last two suffice for that. */
export class Activity {
  readonly nowMs: () => number;
  private latest = { organization: '', atMs: Number.NEGATIVE_INFINITY };
  private other = { organization: '', atMs: Number.NEGATIVE_INFINITY };

  constructor(nowMs: () => number) {
    this.nowMs = nowMs;
  }

  note(organization: string): void {
    if (this.latest.organization !== organization) {
      const { other } = this;
      this.other = this.latest;
      this.latest = other;
      other.organization = organization;
    }
    this.latest.atMs = this.nowMs();
  }

  isAlone(organization: string): boolean {
    const { atMs } = this.latest.organization === organization ? this.other : this.latest;
    return this.nowMs() - atMs > ACTIVE_MS;
  }
}

interface Waiter {
  readonly slot: Slot;
  start(): void;
}

/** The place of a request among those that wait, and then among those that run. */
export class Slot {
  readonly organization: string;
  readonly cost: number;
  readonly client: QueuedClient;
  private readonly queue: FairQueue;
  isRunning = false;
  startedMs = 0;

  constructor(queue: FairQueue, organization: string, cost: number, client: QueuedClient) {
    this.queue = queue;
    this.organization = organization;
    this.cost = cost;
    this.client = client;
  }

  /** Undefined if the request may start at once. Rejects if it waited for too long, or its client is gone. */
  enter(): Promise<void> | undefined {
    return this.queue.enter(this);
  }

  leave(): void {
    if (this.isRunning) this.queue.leave(this);
  }

  /** Leaves while the request waits on purpose, for example for a change. */
  async leaveFor<T>(waiting: Promise<T>): Promise<T> {
    this.leave();
    const result = await waiting;
    if (this.client.isConnected) await this.enter();
    return result;
  }
}

/** The client is gone, so this error only ends the request. */
const disconnected = () => new ApiError('request_timeout', 'The client disconnected while its request waited.');

/** An organization with running or waiting requests. */
interface Member {
  readonly organization: string;
  readonly waiting: Set<Waiter>;
  running: number;
  /** The cost of what it started, counted from that of the others when it joined. */
  served: number;
}

/**
 * Shares processing among organizations: whichever was served least starts next. An organization that is alone gets almost
 * everything. A request that does not have to wait costs no promise and no timer.
 */
export class FairQueue {
  private readonly limits: FairLimits;
  private readonly activity: Activity;
  private readonly members = new Map<string, Member>();
  private readonly waiting = new Set<Member>();
  private running = 0;
  /** The `served` of the organization that started last. An organization that joins starts with it. */
  private served = 0;
  /** The next request is waiting for capacity, so no other request may start before it. */
  private isFull = false;

  constructor(limits: FairLimits, activity: Activity) {
    this.limits = limits;
    this.activity = activity;
  }

  slot(organization: string, cost: number, client: QueuedClient): Slot {
    return new Slot(this, organization, cost, client);
  }

  /** Called by the slot. */
  enter(slot: Slot): Promise<void> | undefined {
    this.activity.note(slot.organization);
    const member = this.find(slot.organization);
    if (member.waiting.size === 0 && !this.isFull && this.mayStart(member, slot)) {
      this.isFull = !this.hasRoom(slot);
      if (!this.isFull) return this.start(member, slot);
    }
    return member.waiting.size < MAX_WAITING ? this.wait(member, slot) : Promise.reject(overloaded());
  }

  /** Called by the slot. */
  leave(slot: Slot): void {
    const member = this.find(slot.organization);
    slot.isRunning = false;
    const mustRest = this.limits.rests && member.waiting.size > 0 && !this.activity.isAlone(slot.organization);
    const restMs = mustRest ? Math.min(MAX_REST_MS, this.activity.nowMs() - slot.startedMs) : 0;
    if (restMs > 0) setTimeout(() => this.release(member, slot), restMs);
    else this.release(member, slot);
  }

  private release(member: Member, slot: Slot): void {
    member.running -= slot.cost;
    this.running -= slot.cost;
    if (this.waiting.size > 0) this.startWaiting();
    this.forgetIdle(member);
  }

  private find(organization: string): Member {
    let member = this.members.get(organization);
    if (member === undefined) {
      member = { organization, waiting: new Set(), running: 0, served: this.served };
      this.members.set(organization, member);
    }
    return member;
  }

  private forgetIdle({ organization, running, waiting }: Member): void {
    if (running === 0 && waiting.size === 0) this.members.delete(organization);
  }

  private mayStart({ organization, running }: Member, { cost }: Slot): boolean {
    const { alone, share } = this.limits;
    if (running === 0) return true;
    return running + cost <= (this.activity.isAlone(organization) ? alone : share);
  }

  private hasRoom({ cost }: Slot): boolean {
    return this.running === 0 || this.running + cost <= this.limits.capacity;
  }

  private start(member: Member, slot: Slot): undefined {
    slot.isRunning = true;
    slot.startedMs = this.activity.nowMs();
    this.served = member.served;
    member.served += slot.cost;
    member.running += slot.cost;
    this.running += slot.cost;
  }

  private wait(member: Member, slot: Slot): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        removeListener();
        member.waiting.delete(waiter);
        if (member.waiting.size === 0) this.waiting.delete(member);
      };
      const giveUp = (error: ApiError) => {
        leave();
        this.forgetIdle(member);
        // It may have been the one for which the others left room.
        this.startWaiting();
        reject(error);
      };
      const waiter: Waiter = {
        slot,
        start: () => {
          leave();
          this.start(member, slot);
          resolve();
        },
      };
      const timer = setTimeout(() => giveUp(overloaded()), MAX_WAIT_MS);
      const removeListener = slot.client.onDisconnect(() => giveUp(disconnected()));
      member.waiting.add(waiter);
      this.waiting.add(member);
    });
  }

  private startWaiting(): void {
    this.isFull = false;
    for (let next = this.findNext(); next !== undefined; next = this.findNext()) {
      this.isFull = !this.hasRoom(next.slot);
      if (this.isFull) return;
      next.start();
    }
  }

  private findNext(): Waiter | undefined {
    let next: Waiter | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const member of this.waiting) {
      const [first] = member.waiting;
      if (first === undefined || member.served >= least || !this.mayStart(member, first.slot)) continue;
      next = first;
      least = member.served;
    }
    return next;
  }
}

/** Runs at most `maxConcurrent` tasks at a time. The rest wait and start in the order in which they were added. */
export function createConcurrencyLimit(maxConcurrent: number): <T>(task: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (task) => {
    if (running === maxConcurrent) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await task();
    } finally {
      // A waiting task takes over this slot, so `running` stays the same.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
