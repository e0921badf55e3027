import { sql, type Transaction } from 'kysely';
import { realTime } from '../../platform/clock.ts';
import type { Tables, Tenant } from '../../tables.ts';
import { forTenant } from '../../tenancy.ts';

/**
 * Leaves nothing of the test behind that would be sent, or would delay or limit texts, in real time. Limits only get stricter:
 * numbers that were texted in the future of the real time count as texted now.
 */
export async function endTestClock(
  tx: Transaction<Tables>,
  tenant: Tenant,
  dropped: { readonly error_code: string; readonly error_message: string },
  now: Date,
): Promise<void> {
  const own = forTenant(tx, tenant);
  const real = realTime(now);
  await own
    .updateTable('messages')
    .set({ status: 'dropped', ...dropped, settled_at: now })
    .where(sql<boolean>`status = 'scheduled' and purpose in ('deliver', 'answer')`)
    .where('in_doubt', '=', false)
    .execute();
  await own.updateTable('texted_numbers').set({ texted_at: real }).where('texted_at', '>', real).execute();
  // A day may begin up to 14 hours before that of UTC.
  await own
    .deleteFrom('text_counts')
    .where(sql<boolean>`day > (${real}::timestamptz at time zone 'UTC' + interval '14 hours')::date`)
    .execute();
}
