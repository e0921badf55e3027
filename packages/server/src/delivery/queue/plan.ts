import type { Transaction } from 'kysely';
import type { Row, Tables, Tenant } from '../../db/tenancy.ts';
import { setDeliveryError } from '../../intros/index.ts';
import { newId } from '../../platform/ids.ts';
import type { Carriers } from '../carriers/index.ts';
import { readContexts, type Step } from '../store/context.ts';
import { insertDelivery, type MessageRow, type NewMessage, tenantOf } from '../store/queue.ts';
import { decide } from './decide.ts';

/** A message that is due now, unless it is planned for later. */
export const newMessage = (
  { organizationId, environment }: Tenant,
  planned: Pick<NewMessage, 'intro_id' | 'audience' | 'purpose' | 'channel' | 'round'>,
  now: Date,
): NewMessage & Step => ({
  ...{ organization_id: organizationId, environment, id: newId('msg', now), ...planned },
  ...{ planned_channel: planned.channel, resends: 0, due_at: now, created_at: now },
});

/** The same message on another channel. */
export const onChannel = (
  row: MessageRow,
  channel: NonNullable<Row<'all_messages'>['channel']>,
  now: Date,
): NewMessage => {
  const { intro_id, audience, purpose, round } = row;
  return newMessage(tenantOf(row), { intro_id, audience, purpose, round, channel }, now);
};

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
  const text = { intro_id: introId, audience: 'recipient', purpose: 'deliver', channel: 'text', round: 0 } as const;
  const planned = newMessage(tenant, text, now);
  const [context] = await readContexts(tx, carriers, [planned]);
  if (context?.intro.responsibility !== 'service') return;
  const { intro, number } = context;
  // Another text whose outcome is open may still fail, and then does not delay this one.
  const lastTextAt = number.last_text_pending_until === null ? number.last_text_at : null;
  const decision = decide({ ...context, number: { ...number, last_text_at: lastTextAt } }, now);
  const hold = decision.kind === 'wait' ? decision : null;
  // The member recorded after a test recording, which was not sent.
  if (!intro.is_test_recording && intro.delivery_error_code === 'test_recording') {
    await setDeliveryError(tx, tenant, introId, null);
  }
  await insertDelivery(tx, tenant, { introId, id: planned.id, now, hold });
}
