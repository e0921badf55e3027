import type { Queryable } from '../../platform/db.ts';
import type { Tables, Tenant } from '../../tables.ts';
import { forTenant } from '../../tenancy.ts';
import { LIKENESS_WITHDRAWN } from '../queue/rules.ts';

/** Drops what is scheduled about these intros, whose member withdrew consent. Replies of recipients still reach the member. */
export async function dropMessagesOfIntros(
  db: Queryable<Tables>,
  tenant: Tenant,
  introIds: readonly string[],
  now: Date,
): Promise<void> {
  if (introIds.length === 0) return;
  const { code: error_code, message: error_message } = LIKENESS_WITHDRAWN;
  await forTenant(db, tenant)
    .updateTable('messages')
    .set({ status: 'dropped', error_code, error_message, settled_at: now })
    .where('intro_id', 'in', introIds)
    .where('status', '=', 'scheduled')
    .where('purpose', '<>', 'reply')
    .execute();
}
