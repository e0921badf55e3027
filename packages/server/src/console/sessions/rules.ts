/** Long enough for the email to arrive, short enough that a link found later is useless. */
export const LINK_LIFE_MS = 15 * 60_000;
/** Emails to one member while a link is valid, requested from one network. */
export const MAX_LINKS_PER_NETWORK = 5;
/** The same from all networks. Higher, so that strangers can neither use up the member's limit nor flood the inbox. */
export const MAX_LINKS = 20;
/** A member who visits once a month stays signed in. */
export const IDLE_LIFE_MS = 30 * 86_400_000;
/** After this, members prove again that they can read their email. */
export const MAX_LIFE_MS = 180 * 86_400_000;
/** Limits how long a stolen cookie works. */
export const ROTATE_AFTER_MS = 6 * 3_600_000;
/** Grace period for requests that were sent with the previous cookie. */
export const PREVIOUS_LIFE_MS = 60_000;
/** The precision of "last seen". */
export const SEEN_EVERY_MS = 60_000;

const SYSTEMS: readonly [RegExp, string][] = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh/, 'Mac'],
  [/CrOS/, 'Chromebook'],
  [/Linux/, 'Linux'],
];
// User agents also name the browsers they derive from, so the order matters.
const BROWSERS: readonly [RegExp, string][] = [
  [/Edg(?:e|A|iOS)?\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrome\/|CriOS\/|Chromium\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];

const nameIn = (names: readonly [RegExp, string][], text: string): string | undefined =>
  names.find(([pattern]) => pattern.test(text))?.[1];

/** Lets members recognize their own devices. */
export function describeDevice(userAgent: string | undefined): string {
  const browser = nameIn(BROWSERS, userAgent ?? '');
  const system = nameIn(SYSTEMS, userAgent ?? '');
  if (browser === undefined || system === undefined) return browser ?? system ?? 'Unknown browser';
  return `${browser} on ${system}`;
}

const HERE = 'http://here.invalid';
const NEXT_MAX_LENGTH = 500;

/** The page to open after signing in: always a console page, never another host. Parsed as a browser would. */
export function readNext(text: unknown): string {
  const start = '/console';
  if (typeof text !== 'string' || text.length > NEXT_MAX_LENGTH || !text.startsWith(start)) return start;
  const url = URL.parse(text, HERE);
  // Dots could lead out of the console, and no console path has two slashes.
  if (url === null || url.origin !== HERE || !/^\/console(?:\/[\w\-.]+)*\/?$/.test(url.pathname)) return start;
  const isPage = !/^\/console\/(?:signin|api|files)(?:\/|$)/.test(url.pathname);
  return isPage ? url.pathname + url.search : start;
}

export const SESSION_CLEANUP_INTERVAL_MS = 3_600_000;
