const DAY_MS = 86_400_000;

export const KEPT_DAYS = 7;
/** How often what was asked is written, all of it together. A crash loses what came since. */
export const WRITE_EVERY_MS = 500;
/** Of an organization, on each node: what is more in a second is counted and not kept. Failures are what people look for. */
export const SUCCESSES_A_SECOND = 50;
export const FAILURES_A_SECOND = 200;
/** What a node holds in memory until it is written, however many organizations there are and however slow the database. */
export const MOST_WAITING = 2_000;
export const MOST_WAITING_BYTES = 16 * 1024 * 1024;
export const KEPT_BODY = 8_192;
export const READ_BODY = KEPT_BODY + 1_024;
export const KEPT_ANSWER = 4_096;
export const KEPT_PATH = 512;
/** How much is looked through for one page, so that a rare thing does not keep anybody waiting. */
export const LOOKED_THROUGH = 20_000;
export const PAGE = 50;

export const CLEANUP_INTERVAL_MS = 10 * 60_000;
export const forgottenBefore = (now: Date): Date => new Date(now.getTime() - KEPT_DAYS * DAY_MS);

/** At most so many characters, and never half of one. */
export const cut = (text: string, most: number): string =>
  (text.length <= most ? text : text.slice(0, most)).toWellFormed().replaceAll('\0', '\ufffd');

interface Second {
  second: number;
  successes: number;
  failures: number;
}

const MOST_COUNTED = 10_000;

/** Which of the requests of an organization are kept. */
export class Budget {
  readonly #seconds = new Map<string, Second>();

  admits(organizationId: string, failed: boolean, nowMs: number): boolean {
    const second = Math.floor(nowMs / 1000);
    let count = this.#seconds.get(organizationId);
    if (count === undefined || count.second !== second) {
      if (this.#seconds.size >= MOST_COUNTED) this.#seconds.clear();
      count = { second, successes: 0, failures: 0 };
      this.#seconds.set(organizationId, count);
    }
    if (failed) return ++count.failures <= FAILURES_A_SECOND;
    return ++count.successes <= SUCCESSES_A_SECOND;
  }
}
