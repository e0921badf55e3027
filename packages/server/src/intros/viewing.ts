import { type ExpressionBuilder, sql } from 'kysely';
import type { Queryable } from '../platform/db.ts';
import type { IntroStatus, Tables, Tenant } from '../tables.ts';
import { MOVES } from './rules.ts';

/** What there is to watch, whether it was sent or found its way by itself. */
const WATCHABLE: readonly IntroStatus[] = [...MOVES.send.from, MOVES.send.to];

/** Where the integration delivers, the first person who opens the page proves that it did. */
function byOpening(now: Date) {
  const moves = sql<boolean>`status in (${sql.join(MOVES.send.from)}) and responsibility = 'integration'`;
  return {
    status: sql<IntroStatus>`case when ${moves} then ${MOVES.send.to} else status end`,
    sent_at: sql<Date | null>`case when ${moves} then ${now} else sent_at end`,
    expires_at: sql<Date | null>`case when ${moves} then null else expires_at end`,
    opened_at: sql<Date>`coalesce(opened_at, ${now})`,
    version: sql<number>`version + 1`,
  };
}

const ownWatchable =
  (tenant: Tenant, id: string) =>
  ({ and, eb }: ExpressionBuilder<Tables, 'intros'>) =>
    and([
      eb('organization_id', '=', tenant.organizationId),
      eb('environment', '=', tenant.environment),
      eb('id', '=', id),
      eb('status', 'in', WATCHABLE),
    ]);

/** How it stands, so that what a sighting changes can be told; nobody else changes it until this transaction ends. */
export async function lockForViewing(
  db: Queryable<Tables>,
  tenant: Tenant,
  id: string,
): Promise<{ status: IntroStatus; opened_at: Date | null; watched_at: Date | null } | null> {
  const row = await db
    .selectFrom('intros')
    .select(['status', 'opened_at', 'watched_at'])
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  return row ?? null;
}

/** False when it was opened before, or can no longer be. */
export async function markOpened(db: Queryable<Tables>, tenant: Tenant, id: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('intros')
    .set(byOpening(now))
    .where(ownWatchable(tenant, id))
    .where('opened_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** False when as much was watched before. Who watches has opened, also when the word of that was lost on the way. */
export async function markWatched(
  db: Queryable<Tables>,
  tenant: Tenant,
  id: string,
  percent: number,
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('intros')
    .set({
      ...byOpening(now),
      watched_percent: percent,
      watched_times: sql<string>`watched_times || jsonb_build_object(${String(percent)}::text, ${now.toISOString()}::text)`,
      ...(percent === 100 && { watched_at: sql<Date>`coalesce(watched_at, ${now})` }),
    })
    .where(ownWatchable(tenant, id))
    .where('watched_percent', '<', percent)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}
