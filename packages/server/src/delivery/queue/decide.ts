import { mayNotBeTexted } from '../../intros/index.ts';
import type { Hours } from '../../platform/daily-hours.ts';
import type { Channel } from '../../tables.ts';
import type { Route } from '../carriers/carrier.ts';
import { isCountryAllowed } from '../limits/rules.ts';
import type { ContextIntro, ContextMember, ContextOrganization, MessageContext, Step } from '../store/context.ts';
import type { MessageChange } from '../store/queue.ts';
import { recipientHours } from './hours.ts';
import {
  channelsFor,
  DEFAULT_HOURS,
  type Decision,
  decideMemberMessage,
  decideRecipientMessage,
  decideReplyNotification,
  holdRecipientMessage,
  type LimitedText,
  QUESTION_MS,
  remindersFor,
} from './rules.ts';

/** The part of a message's context that a decision depends on. Everything here depends only on it and on the time. */
export interface DecisionContext
  extends Pick<MessageContext<Step>, 'message' | 'appointment' | 'organization' | 'number' | 'textRoute'> {
  readonly intro: Omit<
    ContextIntro,
    | 'context'
    | 'link_host'
    | 'member_id'
    | 'recipient_first_name'
    | 'recipient_last_name'
    | 'recipient_language'
    | 'touchpoint_slug'
  >;
  readonly member: Pick<ContextMember, 'active' | 'is_likeness_withdrawn'>;
}

export const hoursOf = ({ texts_from: from, texts_until: until }: ContextOrganization): Hours =>
  from === null || until === null ? DEFAULT_HOURS : { from, until };

/** Texts after the first one are planned by a person, or because the one before did not arrive. */
const requestedAtOf = ({ round, resends, created_at: at }: Step): Date | null =>
  round > 0 && resends === 0 ? at : null;

/** When the recipient may be texted, and for how long the text makes sense. */
function timesOf({ message, intro, appointment, organization }: DecisionContext) {
  const timezone = appointment?.timezone ?? organization.timezone;
  return {
    // Only a text with a link is too late once the appointment begins.
    appointment: message.purpose === 'deliver' ? appointment : null,
    requestedAt: requestedAtOf(message),
    hours: recipientHours(intro.recipient_phone, hoursOf(organization), timezone),
  };
}

const introOf = ({ intro, member }: DecisionContext) => ({
  status: intro.status,
  expiresAt: intro.expires_at,
  isTakenDown: intro.taken_down_at !== null,
  isLikenessWithdrawn: intro.likeness_withdrawn_at !== null || member.is_likeness_withdrawn,
  createdAt: intro.created_at,
});

function decideForMember(context: DecisionContext, now: Date): Decision {
  const { message, intro, member, organization } = context;
  if (message.purpose === 'reply') return decideReplyNotification({ isActive: member.active });
  // A person who reminds the member by hand knows better. Manual reminders count their own rounds, and go to the current member.
  const isByHand = message.purpose === 'remind_by_hand';
  return decideMemberMessage(
    {
      intro: introOf(context),
      isReminder: message.purpose !== 'ask',
      isReassigned: !isByHand && message.round < intro.link_generation,
      isDeclined: !isByHand && intro.is_declined,
      isUndeliverable: !isByHand && mayNotBeTexted(intro),
      isActive: member.active,
      isTakeProcessing: intro.is_take_processing,
      timezone: organization.timezone,
      hours: hoursOf(organization),
    },
    now,
  );
}

function decideForRecipient(context: DecisionContext, now: Date): Decision {
  const { message, intro, organization, number, textRoute } = context;
  // An answer is part of a conversation: it waits neither for other texts nor for an appointment.
  const isAnswer = message.purpose === 'answer';
  const hasLink = intro.opened_at !== null || intro.delivery_error_code === null;
  const { flagged_as: failure, flagged_at: at } = number;
  return decideRecipientMessage(
    {
      ...timesOf(context),
      intro: introOf(context),
      isResend: isAnswer || message.round > 0,
      resend: !isAnswer && message.resends > 0 ? { sentAt: intro.sent_at, hasLink } : null,
      reachesPhone: textRoute === 'provider',
      isCountryAllowed: isCountryAllowed(intro.recipient_phone, organization),
      isTestRecording: !isAnswer && intro.is_test_recording && organization.texts_test_recordings !== true,
      isOptedOut: number.is_opted_out,
      askedAt: number.asked_at,
      flag: failure === null || at === null ? null : { failure, at },
      lastTextAt: isAnswer ? null : number.last_text_at,
      lastTextPendingUntil: number.last_text_pending_until,
    },
    now,
  );
}

/** Decides whether a message is sent now. */
export const decide = (context: DecisionContext, now: Date): Decision =>
  (context.message.audience === 'member' ? decideForMember : decideForRecipient)(context, now);

/** Decides what happens to a text that a limit or its account holds. */
export const decideHeld = (context: DecisionContext, hold: LimitedText) =>
  context.message.audience === 'member' ? hold : holdRecipientMessage(timesOf(context), hold);

/** A channel with the address and the route that a message takes. */
export interface Via {
  readonly channel: Channel;
  readonly address: string;
  readonly route: Route;
}

export interface ChosenChannel {
  /** Or why it is not sent on the channel that it was planned for. */
  readonly via: Via | 'cannot_text' | 'email_bounces';
  /** Channels for copies of the message. */
  readonly copies: readonly Channel[];
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

/** The reminder after this message to the member. Each plans the next one: most intros are recorded before the second is due. */
export function nextStep(
  { message, intro, organization, touchpoint, appointment }: MessageContext,
  now: Date,
): Pick<MessageChange, 'next_purpose' | 'next_at'> {
  const { purpose, planned_channel: plannedChannel } = message;
  const { created_at: createdAt, expires_at: deadline } = intro;
  // A copy on another channel has no reminders of its own.
  const isStep =
    (purpose === 'ask' || purpose === 'remind') && plannedChannel === null && touchpoint?.reminds !== false;
  const isAppointment = appointment?.startsAt.getTime() === deadline?.getTime();
  const { timezone } = organization;
  const reminders =
    isStep && deadline !== null
      ? remindersFor({ createdAt, deadline, isAppointment, timezone, hours: hoursOf(organization) })
      : [];
  const next = reminders.find((reminder) => reminder.at > now && reminder.purpose !== purpose);
  return { next_purpose: next?.purpose ?? null, next_at: next?.at ?? null };
}
