import {
  CLICK_TYPES,
  type ClickType,
  DAY_MS,
  PAGE_LIFE_DAYS,
  REPLY_MESSAGE_MAX_LENGTH,
  REPLY_NOTE_MAX_LENGTH,
  REPLY_TYPES,
  type ReplyType,
  WATCH_STEPS,
} from '@foreword/contract';
import { parseInstant } from '../platform/instants.ts';

/** Pages sent before this time have closed, if videos are kept for this number of days. */
export const closedBefore = (now: Date, days: number): Date => new Date(now.getTime() - days * DAY_MS);

type PageState = 'open' | 'cancelled' | 'expired' | 'unknown';

type Status = 'requested' | 'ready' | 'sent' | 'cancelled' | 'expired';

/** State of a recipient's link. Before the video is recorded, the link must not reveal that it exists. */
export function pageStateOf(
  page: { status: Status; sentAt: Date | null; isVideoRemoved: boolean; erasedAt?: Date | null },
  now: Date,
): PageState {
  // Open intros are cancelled when their recipient is erased.
  if (page.status === 'sent' && page.erasedAt != null) return 'expired';
  switch (page.status) {
    case 'requested':
      return 'unknown';
    case 'ready':
      return 'open';
    case 'sent': {
      const closesMs = (page.sentAt?.getTime() ?? Number.NEGATIVE_INFINITY) + PAGE_LIFE_DAYS * DAY_MS;
      return now.getTime() < closesMs && !page.isVideoRemoved ? 'open' : 'expired';
    }
    default:
      return page.status;
  }
}

/** PostgreSQL writes times in JSON as RFC 3339. */
export function toMs(text: string): number {
  const instant = parseInstant(text);
  if (instant === null) throw new Error('invalid time in the database');
  return instant.getTime();
}

/** RFC 9110, 14: null for the whole file. Ignores invalid ranges, and multiple ranges, which no player requests. */
export function readRange(header: string | undefined, size: number) {
  const [, first, last] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return null;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return null;
  if (start >= size) return 'unsatisfiable';
  return { start, end: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}

export type Beacon =
  | { readonly what: 'opened' }
  | { readonly what: 'watched'; readonly percent: number }
  | { readonly what: 'clicked'; readonly type: ClickType };

const STEPS: readonly unknown[] = WATCH_STEPS;

/** Parses a beacon; null for anything with other or extra fields. */
export function readBeacon(body: unknown): Beacon | null {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return null;
  const { what, percent, type, ...more } = body as Record<string, unknown>;
  if (Object.keys(more).length > 0) return null;
  if (what === 'opened') return percent === undefined && type === undefined ? { what } : null;
  if (what === 'watched' && type === undefined && typeof percent === 'number' && STEPS.includes(percent)) {
    return { what, percent };
  }
  const clicked = CLICK_TYPES.find((known) => known === type);
  return what === 'clicked' && percent === undefined && clicked !== undefined ? { what, type: clicked } : null;
}

export type ReplyProblem = 'no_question' | 'long_question' | 'long_note';

/** A reply that a recipient sent, with what is wrong with its question or note. */
type SubmittedReply =
  | { readonly type: ReplyType; readonly message: string | null; readonly problem: null }
  | { readonly problem: ReplyProblem };

/** Parses the form of the page; null if it contains no known reply. */
export function readReply(form: string): SubmittedReply | null {
  const values = new URLSearchParams(form);
  const type = REPLY_TYPES.find((known) => known === values.get('reply'));
  if (type === undefined) return null;
  if (type !== 'question' && type !== 'reschedule') return { type, message: null, problem: null };
  const lines = (values.get('message') ?? '').replaceAll(/\r\n?/g, '\n').replaceAll(/[^\P{Cc}\n]/gu, ' ');
  const message = lines.trim();
  const { length } = [...message];
  if (type === 'reschedule') {
    return length > REPLY_NOTE_MAX_LENGTH
      ? { problem: 'long_note' }
      : { type, message: message === '' ? null : message, problem: null };
  }
  if (length === 0) return { problem: 'no_question' };
  return length > REPLY_MESSAGE_MAX_LENGTH ? { problem: 'long_question' } : { type, message, problem: null };
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Whether another site sent the request, by either header that browsers set. The origin `null` is accepted, because a page
 * without a referrer may send it.
 */
export function isCrossSite(headers: Headers, ownOrigin: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin';
  const { origin, host } = headers;
  if (origin === undefined || origin === 'null' || origin === ownOrigin) return false;
  return typeof origin !== 'string' || URL.parse(origin)?.host !== host;
}
