import { type ClosedReason, type Language, LOCALES, type OrganizationBrand } from '@foreword/contract';
import type { Snapshot } from './store.ts';

/** The content of a page. Times are milliseconds since 1970. */
export interface PageView extends Pick<Snapshot, 'language' | 'title' | 'reply' | 'organization'> {
  readonly introId: string;
  /** Absolute address of the page; its files are below it. */
  readonly url: string;
  readonly madeAtMs: number;
  readonly recipient: { readonly first_name: string };
  readonly member: Omit<Snapshot['member'], 'has_left'>;
  /** Set once the recipient gets no texts. */
  readonly optOut: { readonly canUndo: boolean } | null;
  /** The number that texts the recipient, and gets replies; null if it is not known. */
  readonly textsFrom: string | null;
  /** Why the page shows a card of the organization instead of the video. */
  readonly replacedFor: 'member_left' | 'taken_down' | 'likeness_withdrawn' | null;
  readonly appointment: { readonly startsAtMs: number; readonly timezone: string } | null;
  readonly action: { readonly label: string; readonly url: string } | null;
  readonly video: {
    /** Unique per recording, so that no cache mixes two videos. */
    readonly name: string;
    /** Key prefix of its objects, with a trailing slash. */
    readonly folder: string;
    readonly width: number;
    readonly height: number;
    readonly durationMs: number;
    /** Null: there are none. */
    readonly captionsLanguage: Language | null;
    readonly hasPreview: boolean;
  };
}

export type Brand = Pick<OrganizationBrand, 'name' | 'accent' | 'office_phone'>;

/** Leads a member to another intro. */
export interface NextLink {
  readonly url: string;
  readonly firstName: string;
}

/** A link that no longer works. */
export type ClosedView = { readonly organization: Brand; readonly language: Language } & (
  | { readonly audience: 'recipient'; readonly reason: Exclude<ClosedReason, 'link_expired' | 'likeness_withdrawn'> }
  | {
      readonly audience: 'member';
      readonly reason: ClosedReason;
      /** The next intro of the member. */
      readonly next: NextLink | null;
    }
);

/** HTML, with a content security policy that allows exactly its own styles and script. */
export interface Document {
  readonly html: string;
  readonly policy: string;
}

/** Open Graph writes an underscore: `es_US`. */
export const openGraphLocale = (language: Language): string => LOCALES[language].replace('-', '_');

const DAY_FORMAT = { weekday: 'long', month: 'long', day: 'numeric' } as const;

/** How to write times: in the time zone and for the reader. */
interface Place {
  readonly timezone: string;
  readonly language: Language;
}

const inZone = (ms: number, { timezone, language }: Place, fields: Intl.DateTimeFormatOptions): string =>
  // Node writes a narrow no-break space before AM and PM, which old fonts show as a box.
  new Intl.DateTimeFormat(LOCALES[language], { timeZone: timezone, ...fields }).format(ms).replaceAll('\u202f', ' ');

/** Days and zones are lowercase in Spanish, but begin a line here. */
const capitalized = (text: string, language: Language): string =>
  text.charAt(0).toLocaleUpperCase(LOCALES[language]) + text.slice(1);

/** "Tuesday, December 1" may break only after the weekday. */
const unbrokenDate = (text: string): string => text.replaceAll(/(?<=\s.*)\s/g, '\u00a0');

function zoneName(ms: number, { timezone, language }: Place): string {
  const format = new Intl.DateTimeFormat(LOCALES[language], { timeZone: timezone, timeZoneName: 'long' });
  return format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value ?? timezone;
}

/** In the time zone of the appointment. The year appears only if it differs from the year of the page. */
export function formatAppointment(startsAtMs: number, place: Place, madeAtMs: number) {
  const year = { year: 'numeric' } as const;
  const sameYear = inZone(startsAtMs, place, year) === inZone(madeAtMs, place, year);
  const format = sameYear ? DAY_FORMAT : { ...DAY_FORMAT, ...year };
  return {
    day: unbrokenDate(capitalized(inZone(startsAtMs, place, format), place.language)),
    time: inZone(startsAtMs, place, { hour: 'numeric', minute: '2-digit' }),
    zone: capitalized(zoneName(startsAtMs, place), place.language),
  };
}

export const formatDate = (ms: number, place: Place): string => inZone(ms, place, { dateStyle: 'long' });

/** Formats North American numbers, and returns others unchanged. */
export function formatPhone(phone: string): string {
  const [, area, exchange, line] = /^\+1(\d{3})(\d{3})(\d{4})$/.exec(phone) ?? [];
  return area === undefined ? phone : `(${area}) ${exchange}-${line}`;
}

export function formatDuration(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

const firstLetter = (name: string): string => {
  const [first] = graphemes.segment(name.trim());
  return first?.segment ?? '';
};

/** Shown when the member has no photo. */
export const initials = (firstName: string, lastName: string): string =>
  (firstLetter(firstName) + firstLetter(lastName)).toLocaleUpperCase('en');
