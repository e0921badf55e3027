import { BoundedMap } from '../../../platform/bounded-map.ts';

/** How often logged requests are written, as one batch. A crash loses those that were not written yet. */
export const WRITE_EVERY_MS = 500;
/** Limits per organization and node. Requests beyond them are only counted. Higher for failures, which users search for. */
export const SUCCESSES_PER_SECOND = 50;
export const FAILURES_PER_SECOND = 200;
/** Limits a node's memory, however many organizations there are and however slow the database is. */
export const MAX_PENDING = 2_000;
export const MAX_PENDING_BYTES = 16 * 1024 * 1024;
export const MAX_BODY = 8_192;
export const READ_BODY = MAX_BODY + 1_024;
export const MAX_RESPONSE = 4_096;
export const MAX_PATH = 512;
/** Rows scanned per page, so that searches for rare requests respond quickly. */
export const MAX_SCANNED = 20_000;
export const PAGE_SIZE = 50;

/** Truncates without leaving half a character. */
export const truncate = (text: string, maxLength: number): string =>
  (text.length <= maxLength ? text : text.slice(0, maxLength)).toWellFormed().replaceAll('\0', '\ufffd');

const MAX_ORGANIZATIONS = 10_000;

/** Decides which requests of an organization are logged. */
export class Budget {
  readonly #seconds = new BoundedMap<string, Record<'second' | 'successes' | 'failures', number>>({
    maxSize: MAX_ORGANIZATIONS,
  });

  admits(organizationId: string, failed: boolean, nowMs: number): boolean {
    const second = Math.floor(nowMs / 1000);
    let count = this.#seconds.get(organizationId);
    if (count === undefined || count.second !== second) {
      count = { second, successes: 0, failures: 0 };
      this.#seconds.set(organizationId, count);
    }
    if (failed) return ++count.failures <= FAILURES_PER_SECOND;
    return ++count.successes <= SUCCESSES_PER_SECOND;
  }
}
