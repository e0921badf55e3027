import { DAY_MS, HOUR_MS, MINUTE_MS, type Role } from '@foreword/contract';

/** Long enough for the email to arrive, short enough that a link found later is useless. */
export const LINK_LIFE_MS = 15 * MINUTE_MS;
/** Unused emails to one member while a link is valid, requested from one network. */
const MAX_LINKS_PER_NETWORK = 5;
/** The same from browsers in which the member has signed in before. Strangers cannot use up this limit. */
const MAX_LINKS_FROM_KNOWN_BROWSERS = 5;
/** Unused emails to one address within an hour that anyone can cause, from any number of networks… */
const MAX_LINKS_PER_HOUR = 24;
/** …and then one per pause. Shorter than the life of a link, so that a link that works is always in the inbox. */
const PAUSE_MS = 5 * MINUTE_MS;
/** How long unused links count. */
export const LINKS_COUNT_FOR_MS = HOUR_MS;
/** A browser in which a member signed in is known for this long. */
export const KNOWN_BROWSER_LIFE_MS = 180 * DAY_MS;
/** A member who visits once a month stays signed in. */
export const IDLE_LIFE_MS = 30 * DAY_MS;
/** After this, members prove again that they can read their email. */
export const MAX_LIFE_MS = 180 * DAY_MS;
/** Limits how long a stolen cookie works. */
export const ROTATE_AFTER_MS = 6 * HOUR_MS;
/** Grace period for requests that were sent with the previous cookie. */
export const PREVIOUS_LIFE_MS = 60_000;
/** The precision of "last seen". */
export const SEEN_EVERY_MS = 60_000;

/** A sign-in this recent proves again who the member is: enough to add a first passkey. */
export const RECENT_MS = 15 * MINUTE_MS;

/** The step that a session needs before it opens the console. */
export type SignInStep = 'done' | 'use_passkey' | 'add_passkey';

/** Null: the member has to sign in again. */
export function decideStep(
  session: {
    readonly role: Role;
    readonly has_passkeys: boolean;
    readonly second_factor_at: Date | null;
    readonly second_factor_from: Date | null;
    readonly created_at: Date;
  },
  { now, canAddPasskeys }: { readonly now: Date; readonly canAddPasskeys: boolean },
): SignInStep | null {
  if (session.second_factor_at !== null) return 'done';
  if (session.has_passkeys) return 'use_passkey';
  const { role, second_factor_from: from } = session;
  // Where browsers offer no passkeys, requiring one would lock everyone out.
  if (role === 'member' || from === null || now < from || !canAddPasskeys) return 'done';
  return now.getTime() - session.created_at.getTime() <= RECENT_MS ? 'add_passkey' : null;
}

/** An unused sign-in link that was sent by email. */
export interface SentLink {
  readonly member_id: string;
  readonly requested_from: Buffer | null;
  readonly from_known_browser: boolean;
  readonly created_at: Date;
}

/**
 * Whether a request for a sign-in link sends an email to one of the members with the address, and for whom it counts. `sent`
 * are the unused links to this address in the last hour: a used link proves that its user reads the inbox, so it no longer counts.
 */
export function decideEmail(
  request: {
    readonly memberId: string;
    readonly network: Buffer;
    readonly isKnownBrowser: boolean;
    readonly now: Date;
  },
  sent: readonly SentLink[],
): 'known' | 'stranger' | null {
  const within = (ms: number) => (link: SentLink) => request.now.getTime() - link.created_at.getTime() < ms;
  const own = sent.filter(({ member_id: id }) => id === request.memberId);
  const known = own.filter((link) => link.from_known_browser && within(LINK_LIFE_MS)(link));
  if (request.isKnownBrowser && known.length < MAX_LINKS_FROM_KNOWN_BROWSERS) return 'known';
  const requested = own.filter((link) => !link.from_known_browser);
  const fromNetwork = requested.filter(
    (link) => within(LINK_LIFE_MS)(link) && link.requested_from?.equals(request.network) === true,
  );
  if (fromNetwork.length >= MAX_LINKS_PER_NETWORK) return null;
  const total = sent.filter((link) => !link.from_known_browser && within(HOUR_MS)(link)).length;
  return total < MAX_LINKS_PER_HOUR || !requested.some(within(PAUSE_MS)) ? 'stranger' : null;
}

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

export const SESSION_CLEANUP_INTERVAL_MS = HOUR_MS;
