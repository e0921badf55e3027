import type { IntroStatus } from '@foreword/contract';
import { sql } from 'kysely';
import { type Db, forTenant, type Tenant } from '../../db/tenancy.ts';
import type { IntroRow } from '../fields.ts';
import { MOVES } from '../rules.ts';

/** The statuses with a page to watch. A recipient may have the link before the intro is marked as sent. */
const WATCHABLE: readonly IntroStatus[] = [...MOVES.send.from, MOVES.send.to];

/**
 * The first person to open the page proves that the link arrived, if the integration delivers or the service's text failed.
 * While the service has yet to send its text, it may be a member who looks at the page, and the text is still sent.
 */
function byOpening(now: Date) {
  const moves = sql<boolean>`status in (${sql.join(MOVES.send.from)})
    and (responsibility = 'integration' or delivery_error_code is not null)`;
  return {
    status: sql<IntroStatus>`case when ${moves} then ${MOVES.send.to} else status end`,
    sent_at: sql<Date | null>`case when ${moves} then ${now} else sent_at end`,
    expires_at: sql<Date | null>`case when ${moves} then null else expires_at end`,
    delivery_error_code: sql<string | null>`case when ${moves} then null else delivery_error_code end`,
    delivery_error_message: sql<string | null>`case when ${moves} then null else delivery_error_message end`,
    opened_at: sql<Date>`coalesce(opened_at, ${now})`,
    version: sql<number>`version + 1`,
  };
}

const updateWatchable = (db: Db, tenant: Tenant, id: string) =>
  forTenant(db, tenant)
    .updateTable('intros')
    .where('id', '=', id)
    .where('status', 'in', WATCHABLE)
    .where('taken_down_at', 'is', null);

/** Locks the row until the transaction ends, so that the caller can publish exactly what a view changes. */
export async function lockForViewing(
  db: Db,
  tenant: Tenant,
  id: string,
): Promise<Pick<IntroRow, 'status' | 'sent_at' | 'opened_at' | 'watched_at' | 'taken_down_at'> | null> {
  const row = await forTenant(db, tenant)
    .selectFrom('intros')
    .select(['status', 'sent_at', 'opened_at', 'watched_at', 'taken_down_at'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  return row ?? null;
}

/** Returns false if the recipient has opened the intro before or can no longer open it. */
export async function markOpened(db: Db, tenant: Tenant, id: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await updateWatchable(db, tenant, id)
    .set(byOpening(now))
    .where('opened_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Returns false if the recipient had already watched this far. Also marks the intro as opened: that request may be lost. */
export async function markWatched(db: Db, tenant: Tenant, id: string, percent: number, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await updateWatchable(db, tenant, id)
    .set({
      ...byOpening(now),
      watched_percent: percent,
      watched_times: sql<string>`watched_times || jsonb_build_object(${String(percent)}::text, ${now.toISOString()}::text)`,
      ...(percent === 100 && { watched_at: sql<Date>`coalesce(watched_at, ${now})` }),
    })
    .where('watched_percent', '<', percent)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** The member opened the recorder. Only the timeline shows this, so it is not a new version of the intro. */
export async function markOpenedByMember(db: Db, tenant: Tenant, id: string, now: Date): Promise<void> {
  await forTenant(db, tenant)
    .updateTable('intros')
    .set({ member_opened_at: now })
    .where('id', '=', id)
    .where('member_opened_at', 'is', null)
    .execute();
}
