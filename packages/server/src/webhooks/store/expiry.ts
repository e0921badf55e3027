import { sql } from 'kysely';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Queryable } from '../../platform/db.ts';
import type { Tables } from '../../tables.ts';
import { deletedBefore } from '../rules.ts';

const deleteMessages = (before: Date, limit: number) => sql<{ n: number }>`
  with old as materialized (
    select organization_id, id from webhook_messages m
    where created_at < ${before} and not exists (
      select 1 from webhook_deliveries d
      where d.organization_id = m.organization_id and d.message_id = m.id and d.due_at is not null
    )
    order by created_at limit ${limit}
  ), deliveries as (
    delete from webhook_deliveries d using old where d.organization_id = old.organization_id and d.message_id = old.id
  ), messages as (
    delete from webhook_messages m using old where m.organization_id = old.organization_id and m.id = old.id
    returning 1
  )
  select count(*)::int as n from messages`;

const deleteAttempts = (before: Date, limit: number) => sql<{ n: number }>`
  with old as materialized (
    select organization_id, endpoint_id, id from webhook_attempts where created_at < ${before} order by created_at limit ${limit}
  ), attempts as (
    delete from webhook_attempts a using old
    where a.organization_id = old.organization_id and a.endpoint_id = old.endpoint_id and a.id = old.id
    returning 1
  )
  select count(*)::int as n from attempts`;

/** Deletes up to `limit` messages and as many attempts. Returns the larger count: below `limit`, nothing old is left. */
async function deleteOldBatch(db: Queryable<Tables>, before: Date, limit: number): Promise<number> {
  const [messages] = (await deleteMessages(before, limit).execute(db)).rows;
  const [attempts] = (await deleteAttempts(before, limit).execute(db)).rows;
  return Math.max(messages?.n ?? 0, attempts?.n ?? 0);
}

/** How often a worker deletes old messages and attempts. */
export const DELETE_OLD_INTERVAL_MS = 10 * 60_000;
const BATCH = 1_000;

/** Safe to run on any number of workers at once. */
export async function deleteOldWebhooks(db: Database<Tables>, clock: Clock): Promise<void> {
  const before = deletedBefore(clock());
  while ((await deleteOldBatch(db.kysely, before, BATCH)) === BATCH);
}
