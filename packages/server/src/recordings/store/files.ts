import type { IntroStatus } from '@foreword/contract';
import { sql } from 'kysely';
import { acrossTenants, type Db, forTenant } from '../../db/tenancy.ts';
import { type RecordingKey, type RecordingRow, tenantOf } from './recordings.ts';

export function findOldOriginals(db: Db, before: Date, limit: number): Promise<RecordingKey[]> {
  return acrossTenants(db)
    .selectFrom('recordings')
    .select(['organization_id', 'environment', 'id'])
    .where('original_deleted_at', 'is', null)
    .where(sql<boolean>`status in ('ready', 'refused', 'discarded')`)
    .where('received_at', '<', before)
    .orderBy('received_at')
    .limit(limit)
    .execute();
}

export interface TakeWithFiles extends RecordingKey {
  readonly status: RecordingRow['status'];
  readonly is_retriable: boolean;
  readonly is_shown: boolean;
  readonly intro_status: IntroStatus;
  readonly sent_at: Date | null;
}

/** Takes whose files are due for a check whether they are still needed. */
export async function findDueFileChecks(db: Db, now: Date, limit: number): Promise<TakeWithFiles[]> {
  const { rows } = await sql<TakeWithFiles>`
    select r.organization_id, r.environment, r.id, r.status,
      r.status = 'refused' and r.original_deleted_at is null and not exists (
        select from recordings later
        where later.organization_id = r.organization_id and later.intro_id = r.intro_id and later.status <> 'discarded'
          and (later.received_at, later.id) > (r.received_at, r.id)
      ) as is_retriable,
      i.recording_id is not distinct from r.id as is_shown,
      i.status as intro_status, i.sent_at
    from (
      select organization_id, environment, id, status, intro_id, received_at, original_deleted_at from recordings
      where deleted_at is null and files_check_at is not null and files_check_at <= ${now}
      order by files_check_at limit ${limit}
    ) r
    join intros i on i.organization_id = r.organization_id and i.id = r.intro_id`.execute(db);
  return rows;
}

const update = (db: Db, key: RecordingKey) =>
  forTenant(db, tenantOf(key)).updateTable('recordings').where('id', '=', key.id);

export async function scheduleFileCheck(db: Db, key: RecordingKey, at: Date): Promise<void> {
  await update(db, key).set({ files_check_at: at }).execute();
}

export async function markOriginalDeleted(db: Db, key: RecordingKey, now: Date): Promise<void> {
  await update(db, key).set({ original_deleted_at: now }).execute();
}

export async function markDeleted(db: Db, key: RecordingKey, now: Date): Promise<void> {
  await update(db, key).set({ deleted_at: now, original_deleted_at: now }).execute();
}
