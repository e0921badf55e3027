import { isTestNumber } from './test-numbers.ts';

/** Whether the link of a recorded intro reached the recipient. Every screen uses these names. */
export const DELIVERY_STATUS_NAMES = {
  sent: 'Sent',
  delivered: 'Delivered',
  not_delivered: 'Not delivered',
  simulated: 'Simulated',
  not_sent: 'Not sent',
} as const;
export type DeliveryStatus = keyof typeof DELIVERY_STATUS_NAMES;
export const DELIVERY_STATUSES = Object.keys(DELIVERY_STATUS_NAMES) as DeliveryStatus[];

interface DeliveredIntro {
  readonly status: 'requested' | 'ready' | 'sent' | 'cancelled' | 'expired';
  readonly responsibility: 'integration' | 'service';
  readonly recipient_phone: string;
  readonly delivery_error_code: string | null;
  readonly opened_at: Date | null;
}

/** Null while the link waits to be sent, and once the intro is closed. `text`: the last text to the recipient that a carrier accepted. */
export function deliveryStatusOf(
  { status, responsibility, recipient_phone, delivery_error_code, opened_at }: DeliveredIntro,
  text: { readonly status: string; readonly carrier: string | null } | null,
): DeliveryStatus | null {
  if (status === 'ready') return delivery_error_code === null ? null : 'not_sent';
  if (status !== 'sent') return null;
  // A recipient who opened the page got the link, whatever the carrier says.
  if (delivery_error_code !== null && opened_at === null) return 'not_delivered';
  if (responsibility === 'integration') return 'sent';
  // Retention has removed the text.
  if (text === null) return isTestNumber(recipient_phone) ? 'simulated' : 'sent';
  // Versions before the test numbers accepted texts without a provider, which were not sent either.
  if (text.carrier === 'simulated' || text.carrier === 'log') return 'simulated';
  return text.status === 'delivered' ? 'delivered' : 'sent';
}

/** Problems that the team has to act on, the most urgent first. Every screen uses these names. */
export const INTRO_PROBLEM_NAMES = {
  declined: 'Declined',
  not_sent: 'Not sent',
  not_delivered: 'Not delivered',
  member_not_reached: 'Member not reached',
  reply_waiting: 'Needs a reply',
} as const;
export type IntroProblem = keyof typeof INTRO_PROBLEM_NAMES;
export const INTRO_PROBLEMS = Object.keys(INTRO_PROBLEM_NAMES) as IntroProblem[];

/** Older problems no longer need attention: by then, open intros have expired, and appointments are over. */
export const PROBLEM_LIFE_DAYS = 30;
/** Not sent, and no one can change that. */
export const NEVER_SENT: readonly string[] = ['recipient_opted_out', 'recipient_erased'];
/** A problem of the whole installation, which the overview and the doctor report. */
export const NO_PROVIDER: readonly unknown[] = ['no_text_provider', 'no_email_provider'];
/** Replies that need an answer. */
export const WAITING_REPLY_TYPES = ['reschedule', 'question', 'message'] as const;

interface ProblemIntro extends Pick<DeliveredIntro, 'status' | 'delivery_error_code' | 'recipient_phone'> {
  readonly created_at: Date;
  readonly sent_at: Date | null;
  readonly declined_at: Date | null;
  readonly notification_error_code: string | null;
  readonly reply_type: string | null;
  readonly replied_at: Date | null;
  readonly reply_settled_at: Date | null;
}

/** `since`: `PROBLEM_LIFE_DAYS` ago. */
export function problemOf(intro: ProblemIntro, delivery: DeliveryStatus | null, since: Date): IntroProblem | null {
  const { status, delivery_error_code: code, recipient_phone: phone, reply_type: reply } = intro;
  const isRecent = (at: Date | null) => at !== null && at >= since;
  // The recipient was erased.
  if (phone === '') return null;
  if (status === 'requested') {
    if (intro.declined_at !== null) return 'declined';
    return intro.notification_error_code !== null && isRecent(intro.created_at) ? 'member_not_reached' : null;
  }
  if (status !== 'ready' && status !== 'sent') return null;
  const canBeSent = code !== null && !NEVER_SENT.includes(code);
  if (canBeSent && delivery === 'not_sent') return delivery;
  if (canBeSent && delivery === 'not_delivered' && isRecent(intro.sent_at)) return delivery;
  const isWaiting = WAITING_REPLY_TYPES.some((type) => type === reply) && intro.reply_settled_at === null;
  return isWaiting && isRecent(intro.replied_at) ? 'reply_waiting' : null;
}
