import { sql } from 'kysely';
import { type Db, forTenant, type Row, type Tenant, type Tx } from '../../../db/tenancy.ts';

export type Take = Pick<Row<'recordings'>, 'organization_id' | 'environment' | 'id' | 'intro_id'>;

/**
 * Discards the takes of the intro that are not processed, and those whose worker sent no heartbeat for so long. A worker that
 * still processes one notices that its intro is closed, and discards it.
 */
export async function discardTakes(db: Db, tenant: Tenant, introId: string, abandonedAfterMs: number): Promise<void> {
  await sql`
    update recordings set status = 'discarded', touched_at = clock_timestamp()
    where ${forTenant(db, tenant).owns()} and intro_id = ${introId} and (
      status in ('uploading', 'uploaded')
      or (status = 'processing' and touched_at < clock_timestamp() - ${abandonedAfterMs} * interval '1 millisecond')
    )`.execute(db);
}

export const listTakes = (db: Db, tenant: Tenant, introId: string): Promise<Take[]> =>
  forTenant(db, tenant)
    .selectFrom('recordings')
    .select(['organization_id', 'environment', 'id', 'intro_id'])
    .where('intro_id', '=', introId)
    .orderBy('id')
    .execute();

/** Returns how many takes had files until now. Called after their files are deleted. */
export async function markTakesDeleted(tx: Tx, tenant: Tenant, introId: string, now: Date): Promise<number> {
  const { numUpdatedRows } = await forTenant(tx, tenant)
    .updateTable('recordings')
    .set({ deleted_at: now, original_deleted_at: now, files_check_at: null, has_preview: false, has_captions: false })
    .where('intro_id', '=', introId)
    .where('deleted_at', 'is', null)
    .where('status', '<>', 'processing')
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** Whether a text about these intros is being sent, or a take is being processed. */
export async function isInFlight(tx: Tx, tenant: Tenant, erasureId: string): Promise<boolean> {
  const own = forTenant(tx, tenant);
  const { rows } = await sql<{ found: boolean }>`
    select exists (
      select from intros i
      where ${own.owns('i')} and i.erasure_id = ${erasureId} and (
        exists (select from message_queue m where m.organization_id = i.organization_id and m.intro_id = i.id)
        or exists (select from recordings r where r.organization_id = i.organization_id and r.intro_id = i.id
          and r.status in ('uploading', 'uploaded', 'processing'))
      )
    ) as found`.execute(tx);
  return rows[0]?.found === true;
}
