const DAY_MS = 86_400_000;
const SUNDAY = 0;
const MONDAY = 1;
const TUESDAY = 2;
const THURSDAY = 4;
const SATURDAY = 6;

/** The dates of a holiday in a year, at midnight UTC. One on a weekend is also observed on a weekday. */
type Holiday = (year: number) => readonly number[];

const dayOf = (ms: number): number => new Date(ms).getUTCDay();

const onDate =
  (month: number, day: number): Holiday =>
  (year) => {
    const date = Date.UTC(year, month - 1, day);
    if (dayOf(date) === SATURDAY) return [date - DAY_MS, date];
    return dayOf(date) === SUNDAY ? [date, date + DAY_MS] : [date];
  };

/** The first such weekday from this date on, which may lie in the next month. */
const onWeekdayFrom =
  (month: number, day: number, weekday: number): Holiday =>
  (year) => {
    const from = Date.UTC(year, month - 1, day);
    return [from + ((weekday - dayOf(from) + 7) % 7) * DAY_MS];
  };

/** Rhode Island observes a holiday on a Saturday on Monday as well. */
const onMondayAfterSaturday =
  (month: number, day: number): Holiday =>
  (year) => {
    const date = Date.UTC(year, month - 1, day);
    return dayOf(date) === SATURDAY ? [date + 2 * DAY_MS] : [];
  };

/** Utah moves Juneteenth to the Monday before, or after a weekend. */
const utahJuneteenth: Holiday = (year) => {
  const date = Date.UTC(year, 5, 19);
  const day = dayOf(date);
  if (day === SUNDAY) return [date + DAY_MS];
  return [day === SATURDAY ? date + 2 * DAY_MS : date - (day - MONDAY) * DAY_MS];
};

/** Days before or after Easter Sunday, by the anonymous Gregorian algorithm. */
const nearEaster =
  (days: number): Holiday =>
  (year) => {
    const a = year % 19;
    const b = Math.floor(year / 100);
    const c = year % 100;
    const d = (19 * a + b - Math.floor(b / 4) - Math.floor((b - Math.floor((b + 8) / 25) + 1) / 3) + 15) % 30;
    const e = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - d - (c % 4)) % 7;
    const f = d + e - 7 * Math.floor((a + 11 * d + 22 * e) / 451) + 114;
    return [Date.UTC(year, Math.floor(f / 31) - 1, (f % 31) + 1 + days)];
  };

const FEDERAL_HOLIDAYS: readonly Holiday[] = [
  onDate(1, 1),
  onWeekdayFrom(1, 15, MONDAY), // Martin Luther King Jr. Day
  onWeekdayFrom(2, 15, MONDAY), // Washington's Birthday
  onWeekdayFrom(5, 25, MONDAY), // Memorial Day
  onDate(6, 19), // Juneteenth
  onDate(7, 4),
  onWeekdayFrom(9, 1, MONDAY), // Labor Day
  onWeekdayFrom(10, 8, MONDAY), // Columbus Day
  onDate(11, 11), // Veterans Day
  onWeekdayFrom(11, 22, THURSDAY), // Thanksgiving
  onDate(12, 25),
];

const ELECTION_DAY = onWeekdayFrom(11, 2, TUESDAY);
const MARDI_GRAS = nearEaster(-47);
const GOOD_FRIDAY = nearEaster(-2);

/** Holidays of states whose laws forbid solicitations on them, besides the federal ones, with their names for the guide. */
const STATE_HOLIDAYS: Readonly<Record<string, Readonly<Record<string, readonly Holiday[]>>>> = {
  Alabama: {
    'Mardi Gras': [MARDI_GRAS],
    'Confederate Memorial Day': [onWeekdayFrom(4, 22, MONDAY)],
    'Jefferson Davis’ Birthday': [onWeekdayFrom(6, 1, MONDAY)],
    'Rosa Parks Day': [onDate(12, 1)],
  },
  Louisiana: {
    'Mardi Gras': [MARDI_GRAS],
    'Good Friday': [GOOD_FRIDAY],
    'Election Day': [ELECTION_DAY],
    'the day after Thanksgiving': [(year) => onWeekdayFrom(11, 22, THURSDAY)(year).map((date) => date + DAY_MS)],
  },
  Pennsylvania: { 'Good Friday': [GOOD_FRIDAY], 'Flag Day': [onDate(6, 14)], 'Election Day': [ELECTION_DAY] },
  'Rhode Island': {
    'Independence Day of the state': [onDate(5, 4)],
    'Victory Day': [onWeekdayFrom(8, 8, MONDAY)],
    'Election Day': [ELECTION_DAY],
    'the Monday after a holiday on a Saturday': [
      onMondayAfterSaturday(1, 1),
      onMondayAfterSaturday(7, 4),
      onMondayAfterSaturday(11, 11),
      onMondayAfterSaturday(12, 25),
    ],
  },
  Utah: { 'Pioneer Day': [onDate(7, 24)], 'the Monday nearest to Juneteenth': [utahJuneteenth] },
};

const datesOf = new Map<string, ReadonlySet<string>>();

function readDates(state: string, year: number): ReadonlySet<string> {
  const key = `${state} ${year}`;
  const known = datesOf.get(key);
  if (known !== undefined) return known;
  const holidays = [...FEDERAL_HOLIDAYS, ...Object.values(STATE_HOLIDAYS[state] ?? {}).flat()];
  // New Year's Day may be observed in the year before.
  const dates = holidays.flatMap((holiday) => [...holiday(year), ...holiday(year + 1)]);
  const found = new Set(dates.map((date) => new Date(date).toISOString().slice(0, 10)));
  datesOf.set(key, found);
  return found;
}

/** Whether a date, such as `2026-07-24`, is a holiday on which a state's law forbids solicitations. */
export const isHolidayIn = (state: string, date: string): boolean =>
  Object.hasOwn(STATE_HOLIDAYS, state) && readDates(state, Number(date.slice(0, 4))).has(date);

/** The names of such holidays, for the guide; null if the state's law names none. */
export const holidaysOf = (state: string): string | null =>
  Object.hasOwn(STATE_HOLIDAYS, state)
    ? `federal holidays, ${Object.keys(STATE_HOLIDAYS[state] ?? {}).join(', ')}`
    : null;
