const DAY_FORMAT = { weekday: 'long', month: 'long', day: 'numeric' } as const;
const inZone = (ms: number, timezone: string, fields: Intl.DateTimeFormatOptions): string =>
  // Node 24 writes a narrow no-break space before AM and PM, which old fonts show as a box.
  new Intl.DateTimeFormat('en-US', { timeZone: timezone, ...fields }).format(ms).replaceAll('\u202f', ' ');

function zoneName(ms: number, timezone: string): string {
  const parts = new Intl.DateTimeFormat('en-US', { timeZone: timezone, timeZoneName: 'long' }).formatToParts(ms);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? timezone;
}

export interface FormattedTime {
  readonly day: string;
  readonly time: string;
  readonly zone: string;
}

/** In the time zone of the appointment. The year appears only if it differs from the year of the page. */
export function formatAppointment(startsAtMs: number, timezone: string, madeAtMs: number): FormattedTime {
  const year = { year: 'numeric' } as const;
  const sameYear = inZone(startsAtMs, timezone, year) === inZone(madeAtMs, timezone, year);
  return {
    day: inZone(startsAtMs, timezone, sameYear ? DAY_FORMAT : { ...DAY_FORMAT, ...year }),
    time: inZone(startsAtMs, timezone, { hour: 'numeric', minute: '2-digit' }),
    zone: zoneName(startsAtMs, timezone),
  };
}

export const formatDate = (ms: number, timezone: string): string => inZone(ms, timezone, { dateStyle: 'long' });

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
