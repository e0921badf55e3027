import { randomInt } from 'node:crypto';
import { type Api, sleep } from '../harness/index.ts';
import { isAcknowledged, type Ledger, newSubmission, openLedger, send } from '../robustness/ledger.ts';

const SENDERS = 3;
const PAUSE_MS = 300;
const RETRY_AFTER_MS = 100;

/** Integrators who send events through everything, each again with the same key until it is acknowledged. */
export class ClusterLoad {
  readonly ledger: Ledger = openLedger();
  readonly #acknowledged: { readonly begunMs: number; readonly atMs: number }[] = [];
  readonly api: Api;
  #isOver = false;
  readonly #senders: Promise<void>[];

  constructor(api: Api) {
    this.api = api;
    this.#senders = Array.from({ length: SENDERS }, () => this.#sendAll());
  }

  async #sendAll(): Promise<void> {
    while (!this.#isOver) {
      const begunMs = performance.now();
      const submission = newSubmission(this.ledger, 'touchpoint-events');
      while (!isAcknowledged(submission)) {
        if (await send(this.api, this.ledger, submission)) break;
        await sleep(RETRY_AFTER_MS);
      }
      this.#acknowledged.push({ begunMs, atMs: performance.now() });
      await sleep(randomInt(PAUSE_MS));
    }
  }

  /** Every event that was begun is acknowledged when this returns. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#senders);
  }

  /** How many events that were begun since then are acknowledged. */
  countSince(sinceMs: number): number {
    return this.#acknowledged.filter(({ begunMs }) => begunMs >= sinceMs).length;
  }

  /** The longest time since then without an acknowledgment, in seconds. */
  longestPauseS(sinceMs: number): number {
    const later = this.#acknowledged.map(({ atMs }) => atMs).filter((atMs) => atMs >= sinceMs);
    const times = [sinceMs, ...later, performance.now()];
    return Math.max(...times.slice(1).map((atMs, i) => atMs - (times[i] ?? atMs))) / 1_000;
  }
}
