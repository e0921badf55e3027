import type { Transaction } from 'kysely';
import { newId } from '../../platform/ids.ts';
import type { Channel, Tables, Tenant } from '../../tables.ts';
import type { DueMessage } from '../store/due.ts';
import { insertDelivery, type MessageRow, type NewMessage } from '../store/messages.ts';
import { DEFAULT_HOURS, type Hours, remindersFor } from './rules.ts';

/** Plans the recipient's text for an intro that was just recorded. Quiet hours are checked when it is claimed. */
export const planDelivery = (tx: Transaction<Tables>, tenant: Tenant, introId: string, now: Date): Promise<void> =>
  insertDelivery(tx, tenant, { introId, id: newId('msg', now), now });

export const hoursOf = ({ texts_from, texts_until }: Pick<DueMessage, 'texts_from' | 'texts_until'>): Hours =>
  texts_from === null || texts_until === null ? DEFAULT_HOURS : { from: texts_from, until: texts_until };

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

/** Reminders are planned with the first message to the member, which keeps creating an intro cheap. */
export function planReminders(row: DueMessage, appointmentAt: Date | null, now: Date): NewMessage[] {
  if (row.purpose !== 'ask' || row.attempts > 0 || row.reminds === false || row.expires_at === null) return [];
  const reminders = remindersFor({
    createdAt: row.intro_created_at,
    deadline: row.expires_at,
    isAppointment: appointmentAt?.getTime() === row.expires_at.getTime(),
    timezone: row.timezone,
    hours: hoursOf(row),
  });
  return reminders
    .filter(({ at }) => at > now)
    .map(({ purpose, at }) => ({
      organization_id: row.organization_id,
      environment: row.environment,
      id: newId('msg', now),
      intro_id: row.intro_id,
      audience: 'member',
      purpose,
      channel: null,
      round: row.round,
      due_at: at,
      created_at: now,
    }));
}
