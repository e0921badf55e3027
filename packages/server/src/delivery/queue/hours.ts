import { DAY_MS } from '@foreword/contract';
import { countryOfPhone } from '../../platform/countries.ts';
import { type Hours, type LocalHours, localDate, nextCommonTime } from '../../platform/instants.ts';
import type { MessageRow } from '../store/queue.ts';
import { DEFAULT_HOURS } from './rules.ts';

/** When businesses may text people in a US state whose law is stricter than the TCPA. Null: not on that day. */
export interface StateLaw {
  readonly name: string;
  readonly law: string;
  readonly weekdays: Hours;
  readonly saturday: Hours | null;
  readonly sunday: Hours | null;
  /** The law is about calls by automatic devices, or our source for its hours is not the law itself. */
  readonly isConservative?: true;
}

const hours = (from: number, until: number): Hours => ({ from: from * 60, until: until * 60 });
const everyDay = (from: number, until: number) => ({
  weekdays: hours(from, until),
  saturday: hours(from, until),
  sunday: hours(from, until),
});
const notOnSundays = (from: number, until: number) => ({ ...everyDay(from, until), sunday: null });

/** Laws about telephone solicitations, which most of these texts are not. The holidays of some states are below. */
export const STATE_LAWS: readonly StateLaw[] = [
  { name: 'Alabama', law: 'Ala. Admin. Code r. 770-X-5-.17', ...notOnSundays(8, 20), isConservative: true },
  { name: 'Connecticut', law: 'Conn. Gen. Stat. § 42-288a', ...everyDay(9, 20) },
  { name: 'Florida', law: 'Fla. Stat. § 501.616(6)(a)', ...everyDay(8, 20) },
  { name: 'Kentucky', law: 'KRS 367.46955', ...everyDay(10, 21) },
  { name: 'Louisiana', law: 'La. R.S. 45:811; La. PSC General Order R-29617', ...notOnSundays(8, 20) },
  { name: 'Maryland', law: 'Md. Code, Com. Law § 14-4502', ...everyDay(8, 20) },
  { name: 'Massachusetts', law: 'Mass. Gen. Laws ch. 159C, § 3', ...everyDay(8, 20) },
  { name: 'Michigan', law: 'Mich. Comp. Laws § 445.111 et seq.', ...everyDay(9, 21), isConservative: true },
  { name: 'Minnesota', law: 'Minn. Stat. § 325E.30', ...everyDay(9, 21), isConservative: true },
  { name: 'Mississippi', law: 'Miss. Code § 77-3-723', ...notOnSundays(8, 20) },
  { name: 'Nevada', law: 'Nev. Rev. Stat. § 597.814', ...everyDay(9, 20), isConservative: true },
  { name: 'New Mexico', law: 'N.M. Stat. § 57-12-22(B)(5)', ...everyDay(9, 21) },
  { name: 'Oklahoma', law: 'Okla. Stat. tit. 15, § 775C.4', ...everyDay(8, 20) },
  { name: 'Oregon', law: 'Or. House Bill 3865 (2025), ORS ch. 646', ...everyDay(8, 20) },
  {
    name: 'Pennsylvania',
    law: '73 P.S. § 2245(a), as amended for October 18, 2026',
    ...notOnSundays(8, 21),
    isConservative: true,
  },
  {
    name: 'Rhode Island',
    law: 'R.I. Gen. Laws §§ 5-61-2(2), 5-61-3.6',
    weekdays: hours(9, 18),
    saturday: hours(10, 17),
    sunday: null,
  },
  {
    name: 'South Dakota',
    law: 'S.D. Codified Laws § 37-30-28',
    weekdays: hours(9, 21),
    saturday: null,
    sunday: null,
    isConservative: true,
  },
  { name: 'Texas', law: 'Tex. Bus. & Com. Code § 301.051', ...everyDay(9, 21), sunday: hours(12, 21) },
  { name: 'Utah', law: 'Utah Code § 13-25a-103(3)', ...notOnSundays(8, 21) },
  { name: 'Washington', law: 'RCW 80.36.390, 19.158.040(2)', ...everyDay(8, 20) },
  { name: 'Wyoming', law: 'Wyo. Stat. § 40-12-301 et seq.', ...everyDay(8, 20), isConservative: true },
];

const ZONES = {
  E: 'America/New_York',
  C: 'America/Chicago',
  M: 'America/Denver',
  A: 'America/Phoenix',
  P: 'America/Los_Angeles',
  K: 'America/Anchorage',
  D: 'America/Adak',
  H: 'Pacific/Honolulu',
} as const;

/** The area codes of each state, after the letters of all time zones in which they are used. */
const AREA_CODES = `
Alabama C 205 251 256 334 483 659 938
Alaska KD 907
Arizona A 480 520 602 623
Arizona AM 928
Arkansas C 327 479 501 870
California P 209 213 279 310 323 341 350 357 369 408 415 424 442 510 530 559 562 619 626 628 650 657 661 669 707 714 738 747
California P 760 805 818 820 831 837 840 858 909 916 925 949 951
Colorado M 303 719 720 748 970 983
Connecticut E 203 475 860 959
Delaware E 302
District of Columbia E 202 771
Florida E 239 305 321 324 352 386 407 561 645 656 689 727 728 754 772 786 813 863 904 941 954
Florida EC 448 850
Georgia E 229 404 470 478 678 706 762 770 912 943
Hawaii H 808
Idaho MP 208 986
Illinois C 217 224 309 312 331 447 464 618 630 708 730 773 779 815 847 861 872
Indiana E 260 317 463 765
Indiana EC 219 574 812 930
Iowa C 319 515 563 641 712
Kansas C 316 913
Kansas CM 620 785
Kentucky E 502 859
Kentucky EC 270 364 606
Louisiana C 225 318 337 457 504 985
Maine E 207
Maryland E 227 240 301 410 443 667
Massachusetts E 339 351 413 508 617 774 781 857 978
Michigan E 231 248 269 313 517 586 616 679 734 810 947 989
Michigan EC 906
Minnesota C 218 320 507 612 651 763 924 952
Mississippi C 228 471 601 662 769
Missouri C 235 314 417 557 573 636 660 816 975
Montana M 406
Nebraska C 402 531
Nebraska CM 308
Nevada P 702 725
Nevada PM 775
New Hampshire E 603
New Jersey E 201 551 609 640 732 848 856 862 908 973
New Mexico M 505 575
New York E 212 315 329 332 347 363 516 518 585 607 624 631 646 680 716 718 838 845 914 917 929 934
North Carolina E 252 336 472 704 743 828 910 919 980 984
North Dakota CM 701
Ohio E 216 220 234 283 326 330 380 419 436 440 513 567 614 740 937
Oklahoma C 405 539 572 580 918
Oregon P 503 971
Oregon PM 458 541
Pennsylvania E 215 223 267 272 412 445 484 570 582 610 717 724 814 835 878
Rhode Island E 401
South Carolina E 803 821 839 843 854 864
South Dakota CM 605
Tennessee C 615 629 731 901 931
Tennessee E 865
Tennessee EC 423 729
Texas C 210 214 254 281 325 346 361 409 430 432 469 512 621 682 713 726 737 806 817 830 832 903 936 940 945 956 972 979
Texas M 915
Utah M 385 435 801
Vermont E 802
Virginia E 276 434 540 571 686 703 757 804 826 948
Washington P 206 253 360 425 509 564
West Virginia E 304 681
Wisconsin C 262 274 353 414 534 608 715 920
Wyoming M 307`;

interface AreaCode {
  /** The state, or the District of Columbia. */
  readonly state: string;
  readonly timezones: readonly string[];
}

const LINE = /^(?<state>[A-Za-z ]+) (?<zones>[A-Z]+) (?<codes>[\d ]+)$/;

function readLine(line: string): [string, AreaCode][] {
  const { state = '', zones = '', codes = '' } = LINE.exec(line)?.groups ?? {};
  const timezones = [...zones].map((letter) => ZONES[letter as keyof typeof ZONES]);
  return codes.split(' ').map((code) => [code, { state, timezones }]);
}

export const US_AREA_CODES: ReadonlyMap<string, AreaCode> = new Map(AREA_CODES.trim().split('\n').flatMap(readLine));

/** Null for numbers of other countries and for area codes without a state, such as 800 or one that is too new. */
export const areaCodeOf = (phone: string): AreaCode | null =>
  phone.startsWith('+1') ? (US_AREA_CODES.get(phone.slice(2, 5)) ?? null) : null;

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

type Law = Pick<StateLaw, 'weekdays' | 'saturday' | 'sunday'> & { readonly name: string | null };

/** The TCPA, for US numbers whose state is not stricter. */
const FEDERAL: Law = { name: null, weekdays: DEFAULT_HOURS, saturday: DEFAULT_HOURS, sunday: DEFAULT_HOURS };

const LAW_OF_STATE = new Map(STATE_LAWS.map((law) => [law.name, law]));

function lawOf(phone: string): Law | null {
  const state = areaCodeOf(phone)?.state;
  const stricter = state === undefined ? undefined : LAW_OF_STATE.get(state);
  return stricter ?? (countryOfPhone(phone) === 'US' ? FEDERAL : null);
}

function hoursOfLaw({ name, weekdays, saturday, sunday }: Law, date: string): Hours | null {
  if (name !== null && isHolidayIn(name, date)) return null;
  const day = new Date(`${date}T12:00:00Z`).getUTCDay();
  if (day === SUNDAY) return sunday;
  return day === SATURDAY ? saturday : weekdays;
}

const MIDNIGHT = 24 * 60;
/** The whole day is a deliberate choice, for texts that no such law is about. */
const isAnyHour = ({ from, until }: Hours): boolean => from === 0 && until === MIDNIGHT;

/** Hours that a text has to wait for, and the state whose law sets them. Null: the TCPA, or the organization. */
interface Rule extends LocalHours {
  readonly state: string | null;
}

/** The conditions for sending a text. */
export interface Reason extends Hours {
  readonly timezone: string;
  readonly state: string | null;
}

const opensAt = (rule: Rule, at: Date): boolean =>
  nextCommonTime(new Date(at.getTime() - 1), [rule])?.getTime() === at.getTime();

/** A number's law applies in each time zone of its area code, because the number does not say in which one the phone is. */
const rulesOfNumber = (phone: string, law: Law): Rule[] =>
  (areaCodeOf(phone)?.timezones ?? []).map((timezone) => ({
    timezone,
    state: law.name,
    on: (date) => hoursOfLaw(law, date),
  }));

/**
 * When a recipient may be texted: within the organization's hours, and within those of the law, both in the time zone of the
 * recipient as far as it is known and in those of the number. Hours that never meet the others give way, the organization's first.
 */
export function recipientHours(phone: string, own: Hours, timezone: string) {
  const law = isAnyHour(own) ? null : lawOf(phone);
  const ofOrganization: Rule = { timezone, state: null, on: () => own };
  const ofNumber = law === null ? [] : rulesOfNumber(phone, law);
  const here: Rule[] = law === null ? [] : [{ timezone, state: law.name, on: (date) => hoursOfLaw(law, date) }];
  const choices = [[...ofNumber, ...here, ofOrganization], [...ofNumber, ...here], ofNumber];
  const nextTime = (at: Date): Date => {
    for (const rules of choices) {
      const time = nextCommonTime(at, rules);
      if (time !== null) return time;
    }
    return at;
  };
  return {
    /** The first such time from `at` on. */
    nextTime,
    /** The hours that begin at this time, which a text has waited for; otherwise the hours of that day. */
    explain(at: Date): Reason {
      const rules = [...here, ...ofNumber, ofOrganization];
      const [first = ofOrganization] = rules;
      const rule = rules.find((candidate) => opensAt(candidate, at)) ?? first;
      const hours = rule.on(localDate(at, rule.timezone)) ?? own;
      return { ...hours, timezone: rule.timezone, state: rule.state };
    },
  };
}

type HeldText = Pick<MessageRow, 'audience' | 'address' | 'held_for' | 'held_until'>;

/** The state whose hours a recipient's text waits for, or has waited for; null if it is something else. */
export function stateHolding({ audience, address, held_for, held_until: until }: HeldText): string | null {
  if (audience !== 'recipient' || held_for !== 'quiet_hours' || address === null || until === null) return null;
  const law = lawOf(address);
  if (law === null || law.name === null) return null;
  return rulesOfNumber(address, law).some((rule) => opensAt(rule, until)) ? law.name : null;
}
