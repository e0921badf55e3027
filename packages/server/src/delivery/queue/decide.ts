import { mayNotBeTexted, readAppointment } from '../../intros/index.ts';
import type { Route } from '../carriers/carrier.ts';
import type { Carriers } from '../carriers/index.ts';
import type { DueMessage } from '../store/due.ts';
import { flagOf } from '../store/numbers.ts';
import { recipientHours } from './hours.ts';
import { AS_ANSWER, hoursOf, limitsOf } from './plan.ts';
import { type Decision, decideMemberMessage, decideRecipientMessage, decideReplyNotification } from './rules.ts';

export const routeOfText = (carriers: Carriers, row: DueMessage, to: string): Route =>
  carriers.routeOfText(to, { hasOwnAccount: row.twilio_account !== null });

interface Deps {
  readonly carriers: Carriers;
}

export const appointmentOf = (row: DueMessage) => readAppointment(row.context?.appointment ?? undefined);
const introOf = (row: DueMessage) => ({
  status: row.intro_status,
  expiresAt: row.expires_at,
  isTakenDown: row.taken_down_at !== null,
  isLikenessWithdrawn: row.is_likeness_withdrawn,
  createdAt: row.intro_created_at,
});

/** Texts after the first one are planned by a person, or because the one before did not arrive. */
export const requestedAtOf = ({ round, resends, created_at: at }: DueMessage) =>
  round > 0 && resends === 0 ? at : null;

/** Decides whether a due message is sent now. */
export function decide(deps: Deps, row: DueMessage, now: Date): Decision {
  const intro = introOf(row);
  const hours = hoursOf(row);
  if (row.audience === 'member') {
    if (row.purpose === 'reply') return decideReplyNotification({ isActive: row.member_active });
    const { member_active: isActive, is_take_processing: isTakeProcessing, timezone } = row;
    // Manual reminders count their own rounds and always go to the current member.
    const isReassigned = row.purpose !== 'remind_by_hand' && row.round < row.link_generation;
    const isDeclined = row.purpose !== 'remind_by_hand' && row.is_declined;
    return decideMemberMessage(
      {
        intro,
        isReminder: row.purpose !== 'ask',
        isReassigned,
        isDeclined,
        // A person who reminds the member by hand knows better.
        isUndeliverable: row.purpose !== 'remind_by_hand' && mayNotBeTexted(row),
        isActive,
        isTakeProcessing,
        timezone,
        hours,
      },
      now,
    );
  }
  const appointment = appointmentOf(row);
  const timezone = appointment?.timezone ?? row.timezone;
  const reachesPhone = routeOfText(deps.carriers, row, row.recipient_phone) === 'provider';
  const { is_opted_out: isOptedOut, last_text_at: lastTextAt, last_text_pending_until: lastTextPendingUntil } = row;
  const { asked_at: askedAt } = row;
  const limits = {
    hours: recipientHours(row.recipient_phone, hours, timezone),
    ...{ reachesPhone, isOptedOut, askedAt, lastTextAt, lastTextPendingUntil },
    ...limitsOf(row, row.recipient_phone),
    flag: flagOf(row),
  };
  const hasLink = row.opened_at !== null || row.delivery_error_code === null;
  const resend = row.resends > 0 ? { sentAt: row.sent_at, hasLink } : null;
  const message = { intro, isResend: row.round > 0, requestedAt: requestedAtOf(row), resend, appointment, ...limits };
  return decideRecipientMessage(row.purpose === 'answer' ? { ...message, ...AS_ANSWER } : message, now);
}
