import { CompiledQuery, type Transaction } from 'kysely';
import { MESSAGES_DUE, type ReassignedIntro } from '../../intros/index.ts';
import { newId } from '../../platform/ids.ts';
import type { Tables, Tenant } from '../../tables.ts';
import { forTenant } from '../../tenancy.ts';
import { insertMessages, type NewMessage, notifyMessagesDue } from './messages.ts';

/** Enqueues the notification of a reply. Its round is the number of the reply. */
export async function notifyOfReply(
  tx: Transaction<Tables>,
  tenant: Tenant,
  reply: { readonly introId: string; readonly number: number },
  now: Date,
): Promise<void> {
  const message: NewMessage = {
    organization_id: tenant.organizationId,
    environment: tenant.environment,
    id: newId('msg', now),
    intro_id: reply.introId,
    audience: 'member',
    purpose: 'reply',
    channel: null,
    round: reply.number,
    due_at: now,
    created_at: now,
  };
  await insertMessages(tx, [message]);
  await notifyMessagesDue(tx);
}

const NOTIFY_NEW_MEMBER = `
with dropped as (
  update messages
  set status = 'dropped', error_code = 'reassigned', error_message = 'The intro was reassigned to another member.', settled_at = $4
  where organization_id = $1 and environment = $2 and intro_id = $3 and audience = 'member' and status = 'scheduled'
)
insert into messages (organization_id, environment, id, intro_id, audience, purpose, round, status, due_at, created_at)
values ($1, $2, $5, $3, 'member', 'ask', $6, 'scheduled', $4, $4)
returning hint('${MESSAGES_DUE}', '')`;

/** Drops what was scheduled for the previous member, whose link no longer works, and notifies the new one. */
export async function notifyNewMember(
  tx: Transaction<Tables>,
  { organizationId, environment }: Tenant,
  { id, generation }: ReassignedIntro,
  now: Date,
): Promise<void> {
  const values = [organizationId, environment, id, now, newId('msg', now), generation];
  await tx.executeQuery(CompiledQuery.raw(NOTIFY_NEW_MEMBER, values));
}

/** Drops what is scheduled for the member, who declined. */
export async function dropMemberMessages(
  tx: Transaction<Tables>,
  tenant: Tenant,
  introId: string,
  now: Date,
): Promise<void> {
  await forTenant(tx, tenant)
    .updateTable('messages')
    .set({
      status: 'dropped',
      error_code: 'declined',
      error_message: 'The member declined the intro.',
      settled_at: now,
    })
    .where('intro_id', '=', introId)
    .where('audience', '=', 'member')
    .where('status', '=', 'scheduled')
    .execute();
}
