import { DELIVERY_FAILURES, type DeliveryFailureCode } from '@foreword/contract';
import { localDate, parseZonedTime, wallTime } from '../../platform/instants.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Minutes of a person's own day: from the first, until just before the second. */
export interface Hours {
  readonly from: number;
  readonly until: number;
}

/** 8:00 to 21:00. Earlier or later, US law calls it a nuisance. */
export const DEFAULT_HOURS: Hours = { from: 8 * 60, until: 21 * 60 };

/** At most one text of a touchpoint to a number in this time. */
export const TEXT_GAP_MS = DAY_MS;
/** Before an appointment, the last word to a member who has not recorded yet. */
const LAST_REMINDER_MS = HOUR_MS;
/** Two reminders closer together, or one so soon after the request, would be nagging. */
const REMINDER_GAP_MS = 30 * MINUTE_MS;
/** After the last word to a member, before somebody may have them reminded by hand. */
export const REMINDED_AGAIN_MS = HOUR_MS;
/** How long a text waits at least to hear what becomes of another one to its number. */
const OPEN_TEXT_WAIT_MS = 5_000;
/** How long a reminder waits for a take that is being processed. */
const TAKE_WAIT_MS = 2 * MINUTE_MS;

/** Seconds to wait after each attempt that came to nothing; the last one is followed by giving up. */
const RETRY_DELAYS_S = [5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400] as const;

/** A carrier answers within `CARRIER_LIMIT_MS` or is given up; four times as long after its claim a message has lost its worker. */
export const CARRIER_LIMIT_MS = 15_000;
export const ABANDONED_AFTER_MS = 4 * CARRIER_LIMIT_MS;

function localTime(at: Date, timezone: string): { date: string; minutes: number } {
  const local = wallTime(at, timezone);
  return { date: localDate(at, timezone), minutes: local.getUTCHours() * 60 + local.getUTCMinutes() };
}

function dayAfter(date: string): string {
  const next = parseZonedTime(`${date}T12:00:00`, 'UTC');
  return next === null ? date : localTime(new Date(next.getTime() + DAY_MS), 'UTC').date;
}

const twoDigits = (value: number) => String(value).padStart(2, '0');

/** The first moment, from `at` on, that lies within the hours of that place. Days there have 23, 24 or 25 hours. */
export function nextDecent(at: Date, timezone: string, { from, until }: Hours): Date {
  const { date, minutes } = localTime(at, timezone);
  if (minutes >= from && minutes < until) return at;
  const day = minutes < from ? date : dayAfter(date);
  const opening = parseZonedTime(`${day}T${twoDigits(Math.floor(from / 60))}:${twoDigits(from % 60)}:00`, timezone);
  // In an hour that a clock change repeats, the opening may have been the first time round.
  return opening === null || opening < at ? at : opening;
}

export interface Reminder {
  readonly purpose: 'remind' | 'remind_last';
  readonly at: Date;
}

export interface RecordingTime {
  readonly createdAt: Date;
  readonly deadline: Date;
  /** Whether the deadline is an appointment. */
  readonly isAppointment: boolean;
  /** The member's. */
  readonly timezone: string;
  readonly hours: Hours;
}

/** Halfway to the deadline, and an hour before an appointment; by day, and never so late that nothing could follow. */
export function remindersFor({ createdAt, deadline, isAppointment, timezone, hours }: RecordingTime): Reminder[] {
  const [createdMs, deadlineMs] = [createdAt.getTime(), deadline.getTime()];
  const earliestMs = createdMs + REMINDER_GAP_MS;
  const decent = (ms: number) => nextDecent(new Date(ms), timezone, hours);
  const halfway = decent((createdMs + deadlineMs) / 2);
  const last = decent(deadlineMs - LAST_REMINDER_MS);
  const hasLast = isAppointment && last.getTime() >= earliestMs && last < deadline;
  const halfwayEndMs = (hasLast ? last.getTime() : deadlineMs) - REMINDER_GAP_MS;
  const hasHalfway = halfway.getTime() >= earliestMs && halfway.getTime() <= halfwayEndMs;
  return [
    ...(hasHalfway ? [{ purpose: 'remind', at: halfway } as const] : []),
    ...(hasLast ? [{ purpose: 'remind_last', at: last } as const] : []),
  ];
}

type IntroStatus = 'requested' | 'ready' | 'sent' | 'cancelled' | 'expired';
type HeldFor = 'quiet_hours' | 'recent_text' | 'recording';

export type Verdict =
  | { readonly kind: 'send' }
  | { readonly kind: 'wait'; readonly until: Date; readonly heldFor: HeldFor }
  /** Nothing is wrong: there is nothing left to say. */
  | { readonly kind: 'drop'; readonly code: string; readonly message: string }
  /** It should have been sent, and cannot: this is told on the intro. */
  | { readonly kind: 'fail'; readonly code: DeliveryFailureCode; readonly message: string };

const SEND: Verdict = { kind: 'send' };

const drop = (code: string, message: string): Verdict => ({ kind: 'drop', code, message });
const fail = (code: DeliveryFailureCode): Verdict => ({ kind: 'fail', code, message: DELIVERY_FAILURES[code] });

const REASSIGNED = { code: 'reassigned', message: 'Another member is to record it.' } as const;

interface Intro {
  readonly status: IntroStatus;
  readonly expiresAt: Date | null;
}

const MOVED_ON: Record<IntroStatus, string> = {
  requested: 'There is no video yet.',
  ready: 'The video was recorded.',
  sent: 'The intro was sent.',
  cancelled: 'The intro was cancelled.',
  expired: 'The intro has expired.',
};

/** An intro whose time is up has expired, whether or not its row says so yet. */
function dropClosed({ status, expiresAt }: Intro, wanted: readonly IntroStatus[], now: Date): Verdict | null {
  if (!wanted.includes(status)) return drop(`intro_${status}`, MOVED_ON[status]);
  return expiresAt !== null && expiresAt <= now ? drop('intro_expired', MOVED_ON.expired) : null;
}

export interface MessageToMember {
  readonly intro: Intro;
  readonly isReminder: boolean;
  /** Another member was asked since. */
  readonly isForOther: boolean;
  readonly isActive: boolean;
  readonly hasTakeUnderWay: boolean;
  readonly timezone: string;
  readonly hours: Hours;
}

/** Cancelled, expired or recorded: no further word. */
export function judgeForMember(message: MessageToMember, now: Date): Verdict {
  const closed = dropClosed(message.intro, ['requested'], now);
  if (closed !== null) return closed;
  if (message.isForOther) return drop(REASSIGNED.code, REASSIGNED.message);
  if (!message.isActive) return drop('member_inactive', 'The member was deactivated.');
  if (message.hasTakeUnderWay) {
    return { kind: 'wait', until: new Date(now.getTime() + TAKE_WAIT_MS), heldFor: 'recording' };
  }
  if (!message.isReminder) return SEND;
  const morning = nextDecent(now, message.timezone, message.hours);
  if (morning <= now) return SEND;
  const { expiresAt } = message.intro;
  if (expiresAt !== null && morning >= expiresAt) return drop('too_late', 'It would have come at night, or too late.');
  return { kind: 'wait', until: morning, heldFor: 'quiet_hours' };
}

export interface MessageToRecipient {
  readonly intro: Intro & { readonly createdAt: Date };
  /** Somebody asked for it: also of an intro that was sent. */
  readonly isAgain: boolean;
  readonly appointment: { readonly startsAt: Date } | null;
  /** The appointment's, else the organization's. */
  readonly timezone: string;
  readonly hours: Hours;
  readonly isOptedOut: boolean;
  /** When another text of the same touchpoint went to this number. */
  readonly lastTextAt: Date | null;
  /** While it is open whether that one went: when more may be known. */
  readonly lastTextOpenUntil: Date | null;
}

/** When the number may be texted, for all that is known of the last text to it. */
function freeAt({ lastTextAt, lastTextOpenUntil }: MessageToRecipient, now: Date): Date {
  if (lastTextAt === null) return now;
  const freeMs = lastTextAt.getTime() + TEXT_GAP_MS;
  if (lastTextOpenUntil === null || freeMs <= now.getTime()) return new Date(freeMs);
  return new Date(Math.min(freeMs, Math.max(lastTextOpenUntil.getTime(), now.getTime() + OPEN_TEXT_WAIT_MS)));
}

export function judgeForRecipient(message: MessageToRecipient, now: Date): Verdict {
  const { intro, appointment, timezone, hours } = message;
  const closed = dropClosed(intro, message.isAgain ? ['ready', 'sent'] : ['ready'], now);
  if (closed !== null) return closed;
  if (message.isOptedOut) return fail('recipient_opted_out');
  const free = freeAt(message, now);
  const isRecent = free > now;
  const sendAt = nextDecent(isRecent ? free : now, timezone, hours);
  // One that was past when the intro was made was reported late: the intro is then wanted all the same.
  const isAhead = appointment !== null && appointment.startsAt > intro.createdAt;
  if (isAhead && appointment.startsAt <= sendAt) return fail(isRecent ? 'recently_texted' : 'appointment_over');
  if (sendAt <= now) return SEND;
  return { kind: 'wait', until: sendAt, heldFor: isRecent ? 'recent_text' : 'quiet_hours' };
}

/** When a message that was not taken is tried again; null when it has been tried often enough. */
export function retryAt(attempts: number, now: Date, retryAfterS: number | undefined): Date | null {
  const delayS = RETRY_DELAYS_S[attempts - 1];
  if (delayS === undefined) return null;
  return new Date(now.getTime() + Math.max(delayS, Math.min(retryAfterS ?? 0, 3_600)) * 1000);
}

/** Text when there is a number that may be texted, e-mail when there is not. */
export function channelsFor(
  notifyBy: 'text' | 'email' | 'both',
  canText: boolean,
): readonly ['text' | 'email', ...('text' | 'email')[]] {
  if (!canText || notifyBy === 'email') return ['email'];
  return notifyBy === 'both' ? ['text', 'email'] : ['text'];
}

export type Keyword = 'stop' | 'start' | 'help';

const KEYWORDS: Readonly<Record<string, Keyword>> = {
  ...Object.fromEntries(
    ['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPTOUT'].map((word) => [word, 'stop']),
  ),
  ...Object.fromEntries(['START', 'UNSTOP'].map((word) => [word, 'start'])),
  ...Object.fromEntries(['HELP', 'INFO'].map((word) => [word, 'help'])),
};

/** A reply that is nothing but the word, however it is written: "Stop.", "OPT-OUT", "stop all". */
export function readKeyword(reply: string): Keyword | null {
  const letters = reply
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
  return Object.hasOwn(KEYWORDS, letters) ? (KEYWORDS[letters] ?? null) : null;
}
