import { CompiledQuery, type Transaction } from 'kysely';
import { MESSAGES_DUE, type ReassignedIntro } from '../../intros/index.ts';
import { newId } from '../../platform/ids.ts';
import type { Tables, Tenant } from '../../tables.ts';

const NOTIFY_NEW_MEMBER = `
with dropped as (
  update messages
  set status = 'dropped', error_code = 'reassigned', error_message = 'The intro was reassigned to another member.', settled_at = $4
  where organization_id = $1 and environment = $2 and intro_id = $3 and audience = 'member' and status = 'scheduled'
)
insert into messages (organization_id, environment, id, intro_id, audience, purpose, round, status, due_at, created_at)
values ($1, $2, $5, $3, 'member', 'ask', $6, 'scheduled', $4, $4)
returning pg_notify('${MESSAGES_DUE}', '')`;

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
