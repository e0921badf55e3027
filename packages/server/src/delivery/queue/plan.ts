import type { Transaction } from 'kysely';
import { readAppointment, setDeliveryError } from '../../intros/index.ts';
import type { Hours } from '../../platform/daily-hours.ts';
import { newId } from '../../platform/ids.ts';
import type { Channel, Tables, Tenant } from '../../tables.ts';
import type { Carriers } from '../carriers/index.ts';
import { type CountrySettings, isCountryAllowed } from '../limits/rules.ts';
import type { DueMessage } from '../store/due.ts';
import { findIntroToMessage, type IntroToMessage } from '../store/manual.ts';
import { insertDelivery, type MessageRow, type NewMessage } from '../store/messages.ts';
import { flagOf } from '../store/numbers.ts';
import { recipientHours } from './hours.ts';
import { DEFAULT_HOURS, type Decision, decideRecipientMessage, remindersFor } from './rules.ts';

export const hoursOf = ({ texts_from, texts_until }: Pick<DueMessage, 'texts_from' | 'texts_until'>): Hours =>
  texts_from === null || texts_until === null ? DEFAULT_HOURS : { from: texts_from, until: texts_until };

type LimitColumns = CountrySettings & Pick<DueMessage, 'texts_test_recordings' | 'is_test_recording'>;

/** Whether the organization texts this number and this video at all. */
export const limitsOf = (row: LimitColumns, phone: string) => ({
  isCountryAllowed: isCountryAllowed(phone, row),
  isTestRecording: row.is_test_recording && row.texts_test_recordings !== true,
});

/** An answer is part of a conversation: it waits neither for other texts nor for an appointment. */
export const AS_ANSWER = {
  isResend: true,
  resend: null,
  appointment: null,
  lastTextAt: null,
  isTestRecording: false,
} as const;

/** Decides about a text to the recipient before it is claimed, which decides again. */
export function decideRecipientText(
  carriers: Carriers,
  intro: IntroToMessage,
  { isResend, lastTextAt, isAnswer = false }: { isResend: boolean; lastTextAt: Date | null; isAnswer?: boolean },
  now: Date,
): Decision {
  // The column has the shape of the contract.
  const context = intro.context as { appointment: { starts_at: string; timezone: string } | null } | null;
  const appointment = readAppointment(context?.appointment ?? undefined);
  const route = carriers.routeOfText(intro.recipient_phone, { hasOwnAccount: intro.has_own_account });
  return decideRecipientMessage(
    {
      intro: {
        status: intro.status,
        expiresAt: intro.expires_at,
        isTakenDown: intro.taken_down_at !== null,
        isLikenessWithdrawn: intro.likeness_withdrawn_at !== null || intro.member_withdrawn_at !== null,
        createdAt: intro.created_at,
      },
      isResend,
      requestedAt: isResend ? now : null,
      appointment,
      hours: recipientHours(intro.recipient_phone, hoursOf(intro), appointment?.timezone ?? intro.timezone),
      reachesPhone: route === 'provider',
      ...limitsOf(intro, intro.recipient_phone),
      isOptedOut: intro.is_opted_out,
      askedAt: intro.asked_at,
      flag: flagOf(intro),
      lastTextAt,
      lastTextPendingUntil: null,
      ...(isAnswer && AS_ANSWER),
    },
    now,
  );
}

/**
 * Plans the recipient's text for an intro that was just recorded. A text that has to wait is planned for then, so that
 * the webhook and the recorder's last screen have its time.
 */
export async function planDelivery(
  { carriers }: { carriers: Carriers },
  tx: Transaction<Tables>,
  tenant: Tenant,
  introId: string,
  now: Date,
): Promise<void> {
  const intro = await findIntroToMessage(tx, tenant, introId, { lock: false });
  if (intro?.responsibility !== 'service') return;
  // Another text whose outcome is open may still fail, and then does not delay this one.
  const isLastTextOpen = intro.last_text_status === 'scheduled' || intro.last_text_status === 'sending';
  const lastTextAt = isLastTextOpen ? null : intro.last_text_at;
  const decision = decideRecipientText(carriers, intro, { isResend: false, lastTextAt }, now);
  const hold = decision.kind === 'wait' ? decision : null;
  // The member recorded after a test recording, which was not sent.
  if (!intro.is_test_recording && intro.delivery_error_code === 'test_recording') {
    await setDeliveryError(tx, tenant, introId, null);
  }
  await insertDelivery(tx, tenant, { introId, id: newId('msg', now), now, hold });
}

/** The same message on another channel. */
export const onChannel = (row: MessageRow, channel: Channel, now: Date): NewMessage => ({
  organization_id: row.organization_id,
  environment: row.environment,
  id: newId('msg', now),
  intro_id: row.intro_id,
  audience: row.audience,
  purpose: row.purpose,
  channel,
  round: row.round,
  due_at: now,
  created_at: now,
});

/** The reminder after this message to the member. Each plans the next one: most intros are recorded before the second is due. */
export function planReminder(row: DueMessage, appointmentAt: Date | null, now: Date): NewMessage[] {
  const isStep = row.purpose === 'ask' || row.purpose === 'remind';
  if (!isStep || row.attempts > 0 || row.reminds === false || row.expires_at === null) return [];
  const reminders = remindersFor({
    createdAt: row.intro_created_at,
    deadline: row.expires_at,
    isAppointment: appointmentAt?.getTime() === row.expires_at.getTime(),
    timezone: row.timezone,
    hours: hoursOf(row),
  });
  const next = reminders.find(({ purpose, at }) => at > now && purpose !== row.purpose);
  if (next === undefined) return [];
  return [
    {
      organization_id: row.organization_id,
      environment: row.environment,
      id: newId('msg', now),
      intro_id: row.intro_id,
      audience: 'member',
      purpose: next.purpose,
      channel: null,
      round: row.round,
      due_at: next.at,
      created_at: now,
    },
  ];
}
