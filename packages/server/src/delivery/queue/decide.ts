import type { IntroStatus } from '@foreword/contract';
import { DELIVERY_FAILURES, type DeliveryFailureCode } from '@foreword/contract';
import type { Row } from '../../db/tenancy.ts';
import { mayNotBeTexted } from '../../intros/index.ts';
import { isTestTime } from '../../platform/clock.ts';
import { type Hours, nextDailyTime } from '../../platform/instants.ts';
import type { Route } from '../carriers/carrier.ts';
import type { ContextIntro, ContextMember, ContextOrganization, MessageContext, Step } from '../store/context.ts';
import type { MessageChange } from '../store/queue.ts';
import { recipientHours } from './hours.ts';
import {
  channelsFor,
  DEFAULT_HOURS,
  type Decision,
  FLAG_LIFE_MS,
  isCountryAllowed,
  LATE_EVENT_MS,
  LIKENESS_WITHDRAWN,
  type LimitedText,
  PENDING_TEXT_WAIT_MS,
  QUESTION_MS,
  RESEND_LIFE_MS,
  type Reminder,
  remindersFor,
  TAKE_WAIT_MS,
  TEXT_GAP_MS,
  UNDO_MS,
} from './rules.ts';

/** The part of a message's context that a decision depends on. Everything here depends only on it and on the time. */
export interface DecisionContext
  extends Pick<MessageContext<Step>, 'message' | 'intro' | 'appointment' | 'organization' | 'number' | 'textRoute'> {
  readonly member: Pick<ContextMember, 'active' | 'is_likeness_withdrawn'>;
}

export const hoursOf = ({ texts_from: from, texts_until: until }: ContextOrganization): Hours =>
  from === null || until === null ? DEFAULT_HOURS : { from, until };

const SEND: Decision = { kind: 'send' };

const drop = (code: string, message: string): Decision => ({ kind: 'drop', code, message });
const fail = (code: DeliveryFailureCode): Decision & { kind: 'fail' } => ({
  kind: 'fail',
  code,
  message: DELIVERY_FAILURES[code],
});

const REASONS: Record<IntroStatus, string> = {
  requested: 'The video is not recorded yet.',
  ready: 'The video was recorded.',
  sent: 'The intro was sent.',
  cancelled: 'The intro was cancelled.',
  expired: 'The intro has expired.',
};

/** An intro past its deadline counts as expired, even if its row does not say so yet. */
function dropClosed({ intro, member }: DecisionContext, allowed: readonly IntroStatus[], now: Date): Decision | null {
  const { status, expires_at: expiresAt } = intro;
  const isWithdrawn = intro.likeness_withdrawn_at !== null || member.is_likeness_withdrawn;
  if (isWithdrawn) return drop(LIKENESS_WITHDRAWN.code, LIKENESS_WITHDRAWN.message);
  if (intro.taken_down_at !== null) return drop('page_taken_down', 'The page of the intro was taken down.');
  if (!allowed.includes(status)) return drop(`intro_${status}`, REASONS[status]);
  return expiresAt !== null && expiresAt <= now ? drop('intro_expired', REASONS.expired) : null;
}

/** The event was old, for example from an import: there is nothing to introduce anymore. */
const isLongOver = ({ appointment, intro }: DecisionContext): boolean =>
  appointment !== null && intro.created_at.getTime() - appointment.startsAt.getTime() > LATE_EVENT_MS;

function decideForMember(context: DecisionContext, now: Date): Decision {
  const { message, intro, member, organization } = context;
  const inactive = member.active ? null : drop('member_inactive', 'The member was deactivated.');
  // Sent at any hour, like the request: the recipient is there now, and phones have a setting for the night.
  if (message.purpose === 'reply') return inactive ?? SEND;
  const closed = dropClosed(context, ['requested'], now);
  if (closed !== null) return closed;
  // A person who reminds the member by hand knows better. Manual reminders count their own rounds, and go to the current member.
  if (message.purpose !== 'remind_by_hand') {
    if (message.round < intro.link_generation) return drop('reassigned', 'The intro was reassigned to another member.');
    if (intro.is_declined) return drop('declined', 'The member declined the intro.');
    if (isLongOver(context)) return drop('appointment_over', 'The appointment was over when the intro was requested.');
    if (mayNotBeTexted(intro)) return drop('recipient_opted_out', DELIVERY_FAILURES.recipient_opted_out);
  }
  if (inactive !== null) return inactive;
  if (intro.is_take_processing) {
    return { kind: 'wait', until: new Date(now.getTime() + TAKE_WAIT_MS), heldFor: 'recording' };
  }
  // Nothing depends on a practice recording, so it waits for the morning like a reminder.
  if (message.purpose === 'ask' && !intro.is_practice) return SEND;
  const morning = nextDailyTime(now, organization.timezone, hoursOf(organization));
  if (morning <= now) return SEND;
  if (intro.expires_at !== null && morning >= intro.expires_at)
    return drop('too_late', 'It could only be sent at night or after the deadline.');
  return { kind: 'wait', until: morning, heldFor: 'quiet_hours' };
}

/** An answer is part of a conversation: it waits neither for other texts nor for an appointment. */
const isAnswer = ({ message }: DecisionContext): boolean => message.purpose === 'answer';

/** Planned because the carrier did not deliver the text before. */
const isAutomatic = ({ message }: DecisionContext): boolean => message.purpose === 'deliver' && message.resends > 0;

/** The start of the appointment, unless it was over when a person asked to send the text anyway. */
function deadlineOf({ message, appointment }: DecisionContext): Date | null {
  // Texts after the first one are planned by a person, or because the one before did not arrive.
  const requestedAt = message.round > 0 && message.resends === 0 ? message.created_at : null;
  if (appointment === null || message.purpose !== 'deliver') return null;
  return requestedAt !== null && appointment.startsAt <= requestedAt ? null : appointment.startsAt;
}

/** In the time zone of the recipient, as far as it is known. */
const hoursOfRecipient = ({ intro, appointment, organization }: DecisionContext) =>
  recipientHours(intro.recipient_phone, hoursOf(organization), appointment?.timezone ?? organization.timezone);

/** A text that was planned automatically is not needed once the recipient has the link, and is not sent after a month. */
function dropResend({ intro }: DecisionContext, now: Date): Decision | null {
  const { sent_at: sentAt } = intro;
  if (intro.opened_at !== null || intro.delivery_error_code === null)
    return drop('has_link', 'The recipient has the link.');
  if (sentAt === null || now.getTime() - sentAt.getTime() <= RESEND_LIFE_MS) return null;
  return drop('too_late', 'The text could not be sent for 30 days.');
}

/** When the number may be texted again. */
function freeAt({ number }: DecisionContext, now: Date): Date {
  const { last_text_at: lastTextAt, last_text_pending_until: pendingUntil } = number;
  if (lastTextAt === null) return now;
  const freeMs = lastTextAt.getTime() + TEXT_GAP_MS;
  if (pendingUntil === null || freeMs <= now.getTime()) return new Date(freeMs);
  return new Date(Math.min(freeMs, Math.max(pendingUntil.getTime(), now.getTime() + PENDING_TEXT_WAIT_MS)));
}

function decideForRecipient(context: DecisionContext, now: Date): Decision {
  const { message, intro, organization, number } = context;
  const isResend = isAnswer(context) || message.round > 0;
  // False: no provider is connected, or the number is a test number. No phone rings, so the text is settled at once.
  const reachesPhone = context.textRoute === 'provider';
  // On a test clock every number follows the rules of real phones, although nothing leaves the service.
  const isTest = isTestTime(now);
  const isTimed = reachesPhone || isTest;
  const closed = dropClosed(context, isResend ? ['ready', 'sent'] : ['ready'], now);
  if (closed !== null) return closed;
  const unneeded = isAutomatic(context) ? dropResend(context, now) : null;
  if (unneeded !== null) return unneeded;
  if (number.is_opted_out) {
    // Until then, the recipient can undo it on the page. Later texts are planned by a person, or after a failure.
    const until = isResend || number.undo_since === null ? now : new Date(number.undo_since.getTime() + UNDO_MS);
    return until > now ? { kind: 'wait', until, heldFor: null } : fail('recipient_opted_out');
  }
  const deadline = deadlineOf(context);
  const takeBy = new Date(now.getTime() + TAKE_WAIT_MS);
  // A retake replaces the video. Shortly before an appointment, the earlier video is better than none.
  if (intro.is_take_processing && !isResend && (deadline === null || takeBy < deadline))
    return { kind: 'wait', until: takeBy, heldFor: null };
  const answeredBy = number.asked_at === null ? now : new Date(number.asked_at.getTime() + QUESTION_MS);
  // Checked when the appointment begins, too.
  const until = deadline !== null && deadline < answeredBy ? deadline : answeredBy;
  if (until > now) return { kind: 'wait', until, heldFor: 'opt_out_question' };
  if (reachesPhone) {
    // A person may send a text to a number that could not receive one.
    const isByHand = isResend && !isAutomatic(context);
    const { flagged_as: failure, flagged_at: flaggedAt } = number;
    const isFlagged = flaggedAt !== null && now.getTime() - flaggedAt.getTime() < FLAG_LIFE_MS;
    if (failure !== null && isFlagged && !isByHand) return fail(failure);
    const isUnwanted = intro.is_test_recording && organization.texts_test_recordings !== true;
    if (isUnwanted && !isAnswer(context) && !isTest) return fail('test_recording');
    if (!isCountryAllowed(intro.recipient_phone, organization)) return fail('country_not_allowed');
  }
  const free = isTimed && !isAnswer(context) ? freeAt(context, now) : now;
  const isRecent = free > now;
  const sendAt = isTimed ? hoursOfRecipient(context).nextTime(isRecent ? free : now) : now;
  if (deadline !== null && deadline <= sendAt) {
    return fail(isRecent && deadline > intro.created_at ? 'recently_texted' : 'appointment_over');
  }
  if (sendAt <= now) return SEND;
  return { kind: 'wait', until: sendAt, heldFor: isRecent ? 'recent_text' : 'quiet_hours' };
}

/** Decides whether a message is sent now. */
export const decide = (context: DecisionContext, now: Date): Decision =>
  (context.message.audience === 'member' ? decideForMember : decideForRecipient)(context, now);

/** Decides what happens to a text that a limit or its account holds until `hold.until`, which may be at night. */
export function decideHeld(
  context: DecisionContext,
  hold: LimitedText,
): Exclude<Decision, { kind: 'send' }> | LimitedText {
  if (context.message.audience === 'member') return hold;
  const deadline = deadlineOf(context);
  // A pause may end at any time, and the account may work again. The text is checked when the appointment begins, too.
  if (hold.heldFor !== 'daily_limit') {
    return deadline !== null && deadline < hold.until ? { ...hold, until: deadline } : hold;
  }
  const until = hoursOfRecipient(context).nextTime(hold.until);
  return deadline !== null && deadline <= until ? fail('appointment_over') : { ...hold, until };
}

/** A channel with the address and the route that a message takes. */
export interface Via {
  readonly channel: NonNullable<Row<'all_messages'>['channel']>;
  readonly address: string;
  readonly route: Route;
}

interface ChosenChannel {
  /** Or why it is not sent on the channel that it was planned for. */
  readonly via: Via | 'cannot_text' | 'email_bounces';
  /** Channels for copies of the message. */
  readonly copies: readonly NonNullable<Row<'all_messages'>['channel']>[];
}

export function chooseChannel(context: MessageContext<Step>, now: Date): ChosenChannel {
  const { message, intro, member, organization, phone, number, textRoute, emailRoute } = context;
  const text = { channel: 'text', address: phone ?? '', route: textRoute } as const;
  if (message.audience === 'recipient') return { via: { ...text, address: intro.recipient_phone }, copies: [] };
  const isAsked = number.asked_at !== null && now.getTime() - number.asked_at.getTime() < QUESTION_MS;
  const mayText = phone !== null && !number.is_opted_out && !isAsked;
  const isTextable = mayText && (textRoute !== 'provider' || isCountryAllowed(phone, organization));
  // An email that is sent is better than a text that is only stored.
  const canText = isTextable && (textRoute !== 'none' || emailRoute === 'none');
  if (message.channel === 'text' && !canText) return { via: 'cannot_text', copies: ['email'] };
  const canEmail = !member.email_bounces;
  const [channel, ...copies] =
    message.channel === null ? channelsFor(member.notify_by, { canText, canEmail }) : [message.channel];
  if (channel === 'text' && mayText) return { via: text, copies };
  return { via: canEmail ? { channel: 'email', address: member.email, route: emailRoute } : 'email_bounces', copies };
}

/** The reminders of a member who has not recorded by then. */
export function remindersOf({
  intro: { created_at: createdAt, expires_at: deadline },
  organization,
  appointment,
}: Pick<DecisionContext, 'organization' | 'appointment'> & {
  readonly intro: Pick<ContextIntro, 'created_at' | 'expires_at'>;
}): Reminder[] {
  if (deadline === null) return [];
  const isAppointment = appointment?.startsAt.getTime() === deadline.getTime();
  const { timezone } = organization;
  return remindersFor({ createdAt, deadline, isAppointment, timezone, hours: hoursOf(organization) });
}

/** The reminder after this message to the member. Each plans the next one: most intros are recorded before the second is due. */
export function nextStep(context: MessageContext, now: Date): Pick<MessageChange, 'next_purpose' | 'next_at'> {
  const { purpose, planned_channel: plannedChannel } = context.message;
  // A copy on another channel has no reminders of its own.
  const isStep =
    (purpose === 'ask' || purpose === 'remind') &&
    plannedChannel === null &&
    context.touchpoint?.reminds !== false &&
    !context.intro.is_practice;
  const reminders = isStep ? remindersOf(context) : [];
  const next = reminders.find((reminder) => reminder.at > now && reminder.purpose !== purpose);
  return { next_purpose: next?.purpose ?? null, next_at: next?.at ?? null };
}
