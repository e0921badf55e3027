import { CompiledQuery, type Transaction } from 'kysely';
import { MESSAGES_DUE } from '../../intros/index.ts';
import { newId } from '../../platform/ids.ts';
import type { Channel, Tables, Tenant } from '../../tables.ts';
import type { DueMessage, MessageRow, NewMessage } from '../store/messages.ts';
import { DEFAULT_HOURS, type Hours, remindersFor } from './rules.ts';

const PLAN = `
with made as (
  insert into messages (organization_id, environment, id, intro_id, audience, purpose, channel, status, address, due_at, created_at)
  select organization_id, environment, $4, id, 'recipient', 'deliver', 'text', 'scheduled', recipient_phone, $5, $5
  from intros where organization_id = $1 and environment = $2 and id = $3 and responsibility = 'service'
  on conflict do nothing
  returning id
)
select pg_notify('${MESSAGES_DUE}', '') from made`;

/**
 * For an intro that was just recorded: where the service delivers, its text is there from now on, once, however many takes
 * follow. Whether it waits for the morning is decided when it is taken up.
 */
export async function planDelivery(tx: Transaction<Tables>, tenant: Tenant, introId: string, now: Date): Promise<void> {
  const values = [tenant.organizationId, tenant.environment, introId, newId('msg', now), now];
  await tx.executeQuery(CompiledQuery.raw(PLAN, values));
}

export const tenantOf = ({ organization_id, environment }: MessageRow): Tenant => ({
  organizationId: organization_id,
  environment,
});

export const hoursOf = ({ texts_from, texts_until }: DueMessage): Hours =>
  texts_from === null || texts_until === null ? DEFAULT_HOURS : { from: texts_from, until: texts_until };

/** The same word by another way. */
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

/** Planned when the member is first told: most intros are recorded before, and creation stays cheap. */
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
