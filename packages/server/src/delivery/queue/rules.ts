import { DELIVERY_FAILURES, type DeliveryFailureCode } from '@foreword/contract';
import { isTestTime } from '../../platform/clock.ts';
import { type Hours, nextDailyTime } from '../../platform/daily-hours.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** How long texts to a number wait after it was asked whether to stop them, unless the person answers before. */
export const QUESTION_MS = DAY_MS;

/** 8:00 to 21:00: the hours in which US law (TCPA) allows such texts. */
export const DEFAULT_HOURS: Hours = { from: 8 * 60, until: 21 * 60 };

/** Minimum time between two texts of the same touchpoint to a number. */
export const TEXT_GAP_MS = DAY_MS;
/** How long before an appointment the last reminder is sent to a member who has not recorded yet. */
const LAST_REMINDER_MS = HOUR_MS;
/** Minimum time between two reminders, and between the request and a reminder. */
const REMINDER_GAP_MS = 30 * MINUTE_MS;
/** Minimum time between any message to a member and a manual reminder. */
export const MANUAL_REMINDER_GAP_MS = HOUR_MS;
/** Minimum time a text waits for the outcome of another one to its number. */
const PENDING_TEXT_WAIT_MS = 5_000;
/** How long a message to the member waits while a take is being processed. */
const TAKE_WAIT_MS = 2 * MINUTE_MS;

/** Seconds to wait after each failed attempt. After the last retry, the message fails. */
const RETRY_DELAYS_S = [5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400] as const;

/** Limit for one request to a carrier. A message that is claimed four times as long has lost its worker. */
export const CARRIER_LIMIT_MS = 15_000;
export const ABANDONED_AFTER_MS = 4 * CARRIER_LIMIT_MS;

export interface Reminder {
  readonly purpose: 'remind' | 'remind_last';
  readonly at: Date;
}

export interface RecordingTime {
  readonly createdAt: Date;
  readonly deadline: Date;
  /** Whether the deadline is the appointment. */
  readonly isAppointment: boolean;
  /** The member's. */
  readonly timezone: string;
  readonly hours: Hours;
}

/** Halfway to the deadline and an hour before an appointment, within the allowed hours and with time left to record. */
export function remindersFor({ createdAt, deadline, isAppointment, timezone, hours }: RecordingTime): Reminder[] {
  const [createdMs, deadlineMs] = [createdAt.getTime(), deadline.getTime()];
  const earliestMs = createdMs + REMINDER_GAP_MS;
  const allowed = (ms: number) => nextDailyTime(new Date(ms), timezone, hours);
  const halfway = allowed((createdMs + deadlineMs) / 2);
  const last = allowed(deadlineMs - LAST_REMINDER_MS);
  const hasLast = isAppointment && last.getTime() >= earliestMs && last < deadline;
  const halfwayEndMs = (hasLast ? last.getTime() : deadlineMs) - REMINDER_GAP_MS;
  const hasHalfway = halfway.getTime() >= earliestMs && halfway.getTime() <= halfwayEndMs;
  return [
    ...(hasHalfway ? [{ purpose: 'remind', at: halfway } as const] : []),
    ...(hasLast ? [{ purpose: 'remind_last', at: last } as const] : []),
  ];
}

type IntroStatus = 'requested' | 'ready' | 'sent' | 'cancelled' | 'expired';
type HeldFor = 'quiet_hours' | 'recent_text' | 'recording' | 'opt_out_question';
/** Why the limits of an organization, or the account with its carrier, hold a text. */
type LimitHold = 'daily_limit' | 'texts_paused' | 'carrier_account';

export type Decision =
  | { readonly kind: 'send' }
  | { readonly kind: 'wait'; readonly until: Date; readonly heldFor: HeldFor }
  /** The message is no longer needed. */
  | { readonly kind: 'drop'; readonly code: string; readonly message: string }
  /** The message is needed but cannot be sent: the intro reports this as its delivery error. */
  | { readonly kind: 'fail'; readonly code: DeliveryFailureCode; readonly message: string };

const SEND: Decision = { kind: 'send' };

const drop = (code: string, message: string): Decision => ({ kind: 'drop', code, message });
const fail = (code: DeliveryFailureCode): Decision & { kind: 'fail' } => ({
  kind: 'fail',
  code,
  message: DELIVERY_FAILURES[code],
});

const REASSIGNED = { code: 'reassigned', message: 'The intro was reassigned to another member.' } as const;

/** Why messages about an intro are not sent once its member has withdrawn consent. */
export const LIKENESS_WITHDRAWN = {
  code: 'likeness_withdrawn',
  message: 'The member withdrew the consent to the use of their likeness.',
} as const;

const INACTIVE = 'The member was deactivated.';
const DECLINED = 'The member declined the intro.';

interface Intro {
  readonly status: IntroStatus;
  readonly expiresAt: Date | null;
  /** The page of the sent intro was taken down. */
  readonly isTakenDown: boolean;
  /** Its member withdrew the consent to the use of their likeness. */
  readonly isLikenessWithdrawn?: boolean;
}

const REASONS: Record<IntroStatus, string> = {
  requested: 'The video is not recorded yet.',
  ready: 'The video was recorded.',
  sent: 'The intro was sent.',
  cancelled: 'The intro was cancelled.',
  expired: 'The intro has expired.',
};

/** An intro past its deadline counts as expired, even if its row does not say so yet. */
function dropClosed(
  { status, expiresAt, isTakenDown, isLikenessWithdrawn }: Intro,
  allowedStatuses: readonly IntroStatus[],
  now: Date,
): Decision | null {
  if (isLikenessWithdrawn) return drop(LIKENESS_WITHDRAWN.code, LIKENESS_WITHDRAWN.message);
  if (isTakenDown) return drop('page_taken_down', 'The page of the intro was taken down.');
  if (!allowedStatuses.includes(status)) return drop(`intro_${status}`, REASONS[status]);
  return expiresAt !== null && expiresAt <= now ? drop('intro_expired', REASONS.expired) : null;
}

export interface MessageToMember {
  readonly intro: Intro;
  readonly isReminder: boolean;
  readonly isReassigned: boolean;
  readonly isDeclined: boolean;
  /** Its recipient opted out, so the video could not be texted. */
  readonly isUndeliverable: boolean;
  readonly isActive: boolean;
  readonly isTakeProcessing: boolean;
  readonly timezone: string;
  readonly hours: Hours;
}

export function decideMemberMessage(message: MessageToMember, now: Date): Decision {
  const closed = dropClosed(message.intro, ['requested'], now);
  if (closed !== null) return closed;
  if (message.isReassigned) return drop(REASSIGNED.code, REASSIGNED.message);
  if (message.isDeclined) return drop('declined', DECLINED);
  if (message.isUndeliverable) return drop('recipient_opted_out', DELIVERY_FAILURES.recipient_opted_out);
  if (!message.isActive) return drop('member_inactive', INACTIVE);
  if (message.isTakeProcessing) {
    return { kind: 'wait', until: new Date(now.getTime() + TAKE_WAIT_MS), heldFor: 'recording' };
  }
  if (!message.isReminder) return SEND;
  const morning = nextDailyTime(now, message.timezone, message.hours);
  if (morning <= now) return SEND;
  const { expiresAt } = message.intro;
  if (expiresAt !== null && morning >= expiresAt)
    return drop('too_late', 'It could only be sent at night or after the deadline.');
  return { kind: 'wait', until: morning, heldFor: 'quiet_hours' };
}

/** Sent at any hour, like the request: the recipient is there now, and phones have a setting for the night. */
export const decideReplyNotification = ({ isActive }: Pick<MessageToMember, 'isActive'>): Decision =>
  isActive ? SEND : drop('member_inactive', INACTIVE);

export interface AutomaticResend {
  /** When the text before it was sent. */
  readonly sentAt: Date | null;
  /** The recipient opened the page, or a person said that the link was sent. */
  readonly hasLink: boolean;
}

/** As long as an intro that is not sent at all stays ready. */
const RESEND_LIFE_MS = 30 * DAY_MS;
function dropResend({ sentAt, hasLink }: AutomaticResend, now: Date): Decision | null {
  if (hasLink) return drop('has_link', 'The recipient has the link.');
  if (sentAt === null || now.getTime() - sentAt.getTime() <= RESEND_LIFE_MS) return null;
  return drop('too_late', 'The text could not be sent for 30 days.');
}

/** When a recipient may be texted. */
export interface SendingHours {
  /** The first such time from `at` on. */
  nextTime(at: Date): Date;
}

/** The carrier reported that the number cannot receive texts. */
export interface NumberFlag {
  readonly failure: DeliveryFailureCode;
  readonly at: Date;
}

/** Carriers err, and landlines are moved to mobile networks. */
const FLAG_LIFE_MS = 90 * DAY_MS;

export interface MessageToRecipient {
  readonly intro: Intro & { readonly createdAt: Date };
  /** A user sends the text again; this is also possible for an intro that is already sent. */
  readonly isResend: boolean;
  /** When a person asked for the text; null: it is sent automatically. */
  readonly requestedAt: Date | null;
  /** Planned because the carrier did not deliver the text before. Null: not planned for that. */
  readonly resend?: AutomaticResend | null;
  readonly appointment: { readonly startsAt: Date } | null;
  readonly hours: SendingHours;
  /** False: no provider is connected, or the number is a test number. No phone rings, so the text is settled at once. */
  readonly reachesPhone: boolean;
  readonly isCountryAllowed: boolean;
  /** The video comes from the test helper, and the organization does not text such videos. */
  readonly isTestRecording: boolean;
  readonly isOptedOut: boolean;
  /** When the person was asked whether to stop texts; null once they answered. */
  readonly askedAt?: Date | null;
  readonly flag?: NumberFlag | null;
  /** When another text of the same touchpoint was sent to this number. */
  readonly lastTextAt: Date | null;
  /** While the outcome of that text is unknown: when to check it again. */
  readonly lastTextPendingUntil: Date | null;
}

/** When the number may be texted again. */
function freeAt({ lastTextAt, lastTextPendingUntil }: MessageToRecipient, now: Date): Date {
  if (lastTextAt === null) return now;
  const freeMs = lastTextAt.getTime() + TEXT_GAP_MS;
  if (lastTextPendingUntil === null || freeMs <= now.getTime()) return new Date(freeMs);
  return new Date(Math.min(freeMs, Math.max(lastTextPendingUntil.getTime(), now.getTime() + PENDING_TEXT_WAIT_MS)));
}

/** The flag that stops a text, unless a person sends it by hand. */
function findFlag({ flag = null, isResend, resend }: MessageToRecipient, now: Date): NumberFlag | null {
  const isByHand = isResend && !resend;
  return flag === null || isByHand || now.getTime() - flag.at.getTime() >= FLAG_LIFE_MS ? null : flag;
}

/** The start of the appointment, unless it was over when a person asked to send the text anyway. */
const deadlineOf = ({ appointment, requestedAt }: Pick<MessageToRecipient, 'appointment' | 'requestedAt'>) =>
  appointment === null || (requestedAt !== null && appointment.startsAt <= requestedAt) ? null : appointment.startsAt;

export function decideRecipientMessage(message: MessageToRecipient, now: Date): Decision {
  const { intro, hours, reachesPhone } = message;
  // On a test clock every number follows the rules of real phones, although nothing leaves the service.
  const isTest = isTestTime(now);
  const isTimed = reachesPhone || isTest;
  const closed = dropClosed(intro, message.isResend ? ['ready', 'sent'] : ['ready'], now);
  if (closed !== null) return closed;
  const unneeded = message.resend && dropResend(message.resend, now);
  if (unneeded) return unneeded;
  if (message.isOptedOut) return fail('recipient_opted_out');
  const deadline = deadlineOf(message);
  const answeredBy = message.askedAt ? new Date(message.askedAt.getTime() + QUESTION_MS) : now;
  // Checked when the appointment begins, too.
  const until = deadline !== null && deadline < answeredBy ? deadline : answeredBy;
  if (until > now) return { kind: 'wait', until, heldFor: 'opt_out_question' };
  const flag = reachesPhone ? findFlag(message, now) : null;
  if (flag !== null) return fail(flag.failure);
  if (reachesPhone && !isTest && message.isTestRecording) return fail('test_recording');
  if (reachesPhone && !message.isCountryAllowed) return fail('country_not_allowed');
  const free = isTimed ? freeAt(message, now) : now;
  const isRecent = free > now;
  const sendAt = isTimed ? hours.nextTime(isRecent ? free : now) : now;
  if (deadline !== null && deadline <= sendAt) {
    return fail(isRecent && deadline > intro.createdAt ? 'recently_texted' : 'appointment_over');
  }
  if (sendAt <= now) return SEND;
  return { kind: 'wait', until: sendAt, heldFor: isRecent ? 'recent_text' : 'quiet_hours' };
}

const TEXT_LIMITS = [
  'daily_limit',
  'texts_paused',
  'carrier_account',
  'country_not_allowed',
  'test_recording',
] as const;
export type TextLimit = (typeof TEXT_LIMITS)[number];
export const asTextLimit = (code: string | null | undefined): TextLimit | undefined =>
  TEXT_LIMITS.find((limit) => limit === code);

export interface LimitedText {
  readonly kind: 'wait';
  readonly until: Date;
  readonly heldFor: LimitHold;
  readonly account?: string;
}

/** Decides what happens to a recipient's text that a limit holds until `hold.until`, which may be at night. */
export function holdRecipientMessage(
  message: Pick<MessageToRecipient, 'appointment' | 'requestedAt' | 'hours'>,
  hold: LimitedText,
): Exclude<Decision, { kind: 'send' }> | LimitedText {
  const deadline = deadlineOf(message);
  // A pause may end at any time, and the account may work again. The text is checked when the appointment begins, too.
  if (hold.heldFor !== 'daily_limit') {
    return deadline !== null && deadline < hold.until ? { ...hold, until: deadline } : hold;
  }
  const until = message.hours.nextTime(hold.until);
  return deadline !== null && deadline <= until ? fail('appointment_over') : { ...hold, until };
}

/** When to retry a message after this many attempts; null after the last retry. */
export function retryAt(attempts: number, now: Date, retryAfterS: number | undefined): Date | null {
  const delayS = RETRY_DELAYS_S[attempts - 1];
  if (delayS === undefined) return null;
  return new Date(now.getTime() + Math.max(delayS, Math.min(retryAfterS ?? 0, 3_600)) * 1000);
}

/** Falls back to email if the member has no number or opted out, and to a text if emails to the member bounce. */
export function channelsFor(
  notifyBy: 'text' | 'email' | 'both',
  { canText, canEmail }: { readonly canText: boolean; readonly canEmail: boolean },
): readonly ['text' | 'email', ...('text' | 'email')[]] {
  if (!canText) return ['email'];
  if (!canEmail) return ['text'];
  return notifyBy === 'both' ? ['text', 'email'] : [notifyBy];
}
