import { type Db, type Tenant, tenantOf } from '../../db/tenancy.ts';
import { realTime } from '../../platform/clock.ts';
import { firstFileCheckAt } from '../rules.ts';
import { type RecordingRow, updateInStatus } from './recordings.ts';

type Claimed = Pick<RecordingRow, 'organization_id' | 'environment' | 'id' | 'attempts'>;

const updateClaimed = (db: Db, claimed: Claimed) =>
  updateInStatus(db, tenantOf(claimed), claimed.id, 'processing').where('attempts', '=', claimed.attempts);

/** Returns false when the claim is lost or the intro has closed, so the work can stop. */
export async function recordHeartbeat(
  db: Db,
  claimed: Claimed,
  state: { progress: number; cpu_ms: number },
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await updateClaimed(db, claimed)
    .set({ ...state, touched_at: realTime(now) })
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('intros as i')
          .select('i.id')
          .whereRef('i.organization_id', '=', 'recordings.organization_id')
          .whereRef('i.id', '=', 'recordings.intro_id')
          .where('i.status', 'in', ['requested', 'ready']),
      ),
    )
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export type Outcome =
  | ({ status: 'ready'; progress: 100; attempts: 0; ready_at: Date } & Pick<
      RecordingRow,
      'width' | 'height' | 'duration_ms' | 'bytes' | 'has_audio' | 'has_captions'
    >)
  | { status: 'refused'; refusal_code: string; refusal_message: string }
  | { status: 'discarded' }
  /** Back to the queue for another attempt. */
  | { status: 'uploaded'; failures: number; retry_at: Date | null };

/** Ends the claim. Returns false when it was already lost. */
export async function settle(
  db: Db,
  claimed: Claimed,
  outcome: Outcome & Partial<Pick<RecordingRow, 'cpu_ms' | 'heavy'>>,
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await updateClaimed(db, claimed)
    .set({
      ...outcome,
      touched_at: realTime(now),
      ...(outcome.status !== 'uploaded' && { files_check_at: firstFileCheckAt(outcome.status, realTime(now)) }),
    })
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Refuses a take that no worker has claimed yet. */
export async function refuseReceived(
  db: Db,
  tenant: Tenant,
  id: string,
  refusal: { readonly code: string; readonly message: string },
  now: Date,
): Promise<void> {
  await updateInStatus(db, tenant, id, 'uploaded')
    .set({
      status: 'refused',
      refusal_code: refusal.code,
      refusal_message: refusal.message,
      touched_at: realTime(now),
      files_check_at: firstFileCheckAt('refused', realTime(now)),
    })
    .execute();
}

/** Returns a refused take to the queue. Returns false when it is no longer refused, or its original has been deleted. */
export async function requeueRefused(db: Db, tenant: Tenant, id: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await updateInStatus(db, tenant, id, 'refused')
    .set({
      status: 'uploaded',
      progress: 0,
      failures: 0,
      worker_deaths: 0,
      cpu_ms: 0,
      retry_at: null,
      refusal_code: null,
      refusal_message: null,
      files_check_at: null,
      touched_at: realTime(now),
    })
    .where('original_deleted_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Returns false if the files of the take have been deleted in the meantime. */
export async function markPreviewed(db: Db, tenant: Tenant, id: string): Promise<boolean> {
  const { numUpdatedRows } = await updateInStatus(db, tenant, id, 'ready')
    .set({ has_preview: true })
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}
