import { countryOfPhone } from '../../platform/countries.ts';
import { type Hours, type LocalHours, nextCommonTime } from '../../platform/daily-hours.ts';
import { localDate } from '../../platform/instants.ts';
import type { MessageRow } from '../store/queue.ts';
import { DEFAULT_HOURS } from './rules.ts';
import { areaCodeOf, isHolidayIn, STATE_LAWS, type StateLaw } from './us-laws.ts';

type Law = Pick<StateLaw, 'weekdays' | 'saturday' | 'sunday'> & { readonly name: string | null };

/** The TCPA, for US numbers whose state is not stricter. */
const FEDERAL: Law = { name: null, weekdays: DEFAULT_HOURS, saturday: DEFAULT_HOURS, sunday: DEFAULT_HOURS };

const LAW_OF_STATE = new Map(STATE_LAWS.map((law) => [law.name, law]));

function lawOf(phone: string): Law | null {
  const state = areaCodeOf(phone)?.state;
  const stricter = state === undefined ? undefined : LAW_OF_STATE.get(state);
  return stricter ?? (countryOfPhone(phone) === 'US' ? FEDERAL : null);
}

const SUNDAY = 0;
const SATURDAY = 6;

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

/** When a recipient may be texted. */
export interface RecipientHours {
  /** The first such time from `at` on. */
  nextTime(at: Date): Date;
  /** The hours that begin at this time, which a text has waited for; otherwise the hours of that day. */
  explain(at: Date): Reason;
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
export function recipientHours(phone: string, own: Hours, timezone: string): RecipientHours {
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
    nextTime,
    explain(at) {
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
