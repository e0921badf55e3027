import { NOTIFICATION_FAILURES } from '@foreword/contract';
import type { Route } from '../carriers/carrier.ts';
import type { Carriers } from '../carriers/index.ts';
import { isCountryAllowed } from '../limits/rules.ts';
import type { DueMessage } from '../store/due.ts';
import type { MessageChange, NewMessage } from '../store/messages.ts';
import { isPhoneTexted, type Sendable } from './numbers.ts';
import { onChannel } from './planning.ts';
import { channelsFor, QUESTION_MS } from './rules.ts';

export interface ChosenChannel {
  /** Null: it is not sent on this channel, because of `unsent`. */
  readonly sendable: Sendable | null;
  readonly unsent: Partial<MessageChange>;
  /** Copies for further channels. */
  readonly others: readonly NewMessage[];
}

export const routeOfText = (carriers: Carriers, row: DueMessage, to: string): Route =>
  carriers.routeOfText(to, { hasOwnAccount: row.twilio_account !== null });

const CANNOT_TEXT = { status: 'dropped', error_code: 'cannot_text' } as const;
const EMAIL_BOUNCES = {
  status: 'failed',
  channel: 'email',
  error_code: 'email_bounces',
  error_message: NOTIFICATION_FAILURES.email_bounces,
} as const;

export function chooseChannel(carriers: Carriers, row: DueMessage, now: Date): ChosenChannel {
  const { recipient_phone, member_phone, member_email: address, member_email_bounces: bounces } = row;
  const toText = (to: string): Sendable => ({
    ...{ row, channel: 'text', address: to },
    route: routeOfText(carriers, row, to),
  });
  if (row.audience === 'recipient') return { sendable: toText(recipient_phone), unsent: {}, others: [] };
  const { routeOfEmail } = carriers;
  const isAsked = row.asked_at !== null && now.getTime() - row.asked_at.getTime() < QUESTION_MS;
  const text = member_phone === null || row.is_opted_out || isAsked ? null : toText(member_phone);
  const isTextable = text !== null && (!isPhoneTexted(text) || isCountryAllowed(text.address, row));
  // An email that is sent is better than a text that is only stored.
  const canText = isTextable && (text.route !== 'none' || routeOfEmail === 'none');
  if (row.channel === 'text' && !canText)
    return { sendable: null, unsent: CANNOT_TEXT, others: [onChannel(row, 'email', now)] };
  const chosen = channelsFor(row.notify_by, { canText, canEmail: !bounces });
  const [channel, ...rest] = row.channel === null ? chosen : [row.channel];
  const others = rest.map((other) => onChannel(row, other, now));
  if (channel === 'text' && text !== null) return { sendable: text, unsent: {}, others };
  if (bounces) return { sendable: null, unsent: { ...EMAIL_BOUNCES, address }, others };
  return { sendable: { row, channel: 'email', address, route: routeOfEmail }, unsent: {}, others };
}
