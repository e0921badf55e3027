import type { Waiting } from '@foreword/contract';
import { countWaitingIntros, listOldestWaiting } from '../../intros/index.ts';
import type { Tenant } from '../../tables.ts';
import type { ConsoleDeps } from '../deps.ts';

/** Counting further is expensive, and the exact number no longer matters. */
const COUNTED_UP_TO = 10_000;
const OLDEST_SHOWN = 6;
const SOON_MS = 86_400_000;

export async function readWaiting({ db, clock }: Pick<ConsoleDeps, 'db' | 'clock'>, tenant: Tenant): Promise<Waiting> {
  const before = new Date(clock().getTime() + SOON_MS);
  const [requested, ready, oldest] = await Promise.all([
    countWaitingIntros(db, tenant, { status: 'requested', limit: COUNTED_UP_TO, before }),
    countWaitingIntros(db, tenant, { status: 'ready', limit: COUNTED_UP_TO, before }),
    listOldestWaiting(db, tenant, OLDEST_SHOWN),
  ]);
  return {
    counted_up_to: COUNTED_UP_TO,
    to_record: requested.amount,
    due_soon: requested.due,
    to_send: ready.amount,
    oldest: oldest.map((row) => ({
      id: row.id,
      recipient: [row.recipient_first_name, row.recipient_last_name].filter((name) => name !== null).join(' '),
      touchpoint: row.touchpoint_name,
      member: { id: row.member_id, first_name: row.member_first_name, last_name: row.member_last_name },
      requested_at: row.created_at.toISOString(),
      expires_at: row.expires_at?.toISOString() ?? null,
    })),
  };
}
