import { parseInstant } from '../platform/instants.ts';

/** How long a page stays after it was sent. */
const PAGE_LIFE_DAYS = 180;
const DAY_MS = 86_400_000;

/** Pages that were sent before this have closed. */
export const closedBefore = (now: Date): Date => new Date(now.getTime() - PAGE_LIFE_DAYS * DAY_MS);

export type Opening = 'open' | 'cancelled' | 'expired' | 'unknown';

type Status = 'requested' | 'ready' | 'sent' | 'cancelled' | 'expired';

/** What a recipient's link does now. Before there is a video it does not tell that there will be one. */
export function openingOf(page: { status: Status; sentAt: Date | null }, now: Date): Opening {
  switch (page.status) {
    case 'requested':
      return 'unknown';
    case 'ready':
      return 'open';
    case 'sent': {
      const closesMs = (page.sentAt?.getTime() ?? Number.NEGATIVE_INFINITY) + PAGE_LIFE_DAYS * DAY_MS;
      return now.getTime() < closesMs ? 'open' : 'expired';
    }
    default:
      return page.status;
  }
}

/** Times in the database's own JSON are RFC 3339. */
export function toMs(written: string): number {
  const instant = parseInstant(written);
  if (instant === null) throw new Error('the database holds a time that is none');
  return instant.getTime();
}

interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * RFC 9110, 14: null for the whole. What cannot be read is ignored, and so are several ranges at once, which no player
 * asks for.
 */
export function readRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | null {
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

/** `If-None-Match`, compared weakly. */
export function matchesTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const wanted = etag.replace(/^W\//, '');
  return header.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === wanted);
}

export type Sighting = { readonly what: 'opened' } | { readonly what: 'watched'; readonly percent: number };

const STEPS: readonly unknown[] = [25, 50, 75, 100];

/** What a beacon says, word for word; null for anything else. */
export function readSighting(body: unknown): Sighting | null {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return null;
  const { what, percent, ...more } = body as Record<string, unknown>;
  if (Object.keys(more).length > 0) return null;
  if (what === 'opened') return percent === undefined ? { what } : null;
  if (what === 'watched' && typeof percent === 'number' && STEPS.includes(percent)) return { what, percent };
  return null;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Whether another site's page sent it. Browsers say so in one of two headers; `null` is what a page without referrer may
 * send of itself.
 */
export function isForeign(headers: Headers, ownOrigin: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin';
  const { origin, host } = headers;
  if (origin === undefined || origin === 'null' || origin === ownOrigin) return false;
  return typeof origin !== 'string' || URL.parse(origin)?.host !== host;
}
