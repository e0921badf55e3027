/** Long enough for a letter to arrive, short enough that one found later is of no use. */
export const LINK_LIFE_MS = 15 * 60_000;
/** Letters to one member within the life of a link, asked for from one place: who asks more often has them already. */
export const LINKS_FROM_ONE_PLACE = 5;
/** From all places together: what strangers ask for must not use up what the member is to get, nor fill the mailbox. */
export const LINKS_AT_ONCE = 20;
/** A person who comes once a month stays signed in. */
export const IDLE_LIFE_MS = 30 * 86_400_000;
/** Whoever they are, once in a while they show again that the mailbox is theirs. */
export const WHOLE_LIFE_MS = 180 * 86_400_000;
/** A cookie that was read somewhere is worth no more than this. */
export const ROTATE_AFTER_MS = 6 * 3_600_000;
/** Requests that left with the old cookie arrive within this time. */
export const PREVIOUS_LIFE_MS = 60_000;
/** How exactly "last seen" is kept. */
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
// Each names those that it descends from as well, so the order decides.
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

/** So that a person knows their own devices again. */
export function describeDevice(userAgent: string | undefined): string {
  const browser = nameIn(BROWSERS, userAgent ?? '');
  const system = nameIn(SYSTEMS, userAgent ?? '');
  if (browser === undefined || system === undefined) return browser ?? system ?? 'A browser that does not say its name';
  return `${browser} on ${system}`;
}

const HERE = 'http://here.invalid';
const NEXT_MAX_LENGTH = 500;

/** Where to go after signing in: a page of the console, and never another host. Read as a browser would read it. */
export function readNext(text: unknown): string {
  const start = '/console';
  if (typeof text !== 'string' || text.length > NEXT_MAX_LENGTH || !text.startsWith(start)) return start;
  const url = URL.parse(text, HERE);
  // Dots in the path lead out of the console, and two slashes are nowhere in it.
  if (url === null || url.origin !== HERE || !/^\/console(?:\/[\w\-.]+)*\/?$/.test(url.pathname)) return start;
  const isPage = !/^\/console\/(?:signin|api|files)(?:\/|$)/.test(url.pathname);
  return isPage ? url.pathname + url.search : start;
}

/** How often what can open nothing any more is forgotten. */
export const SESSION_CLEANUP_INTERVAL_MS = 3_600_000;
