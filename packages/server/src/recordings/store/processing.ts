import { sql } from 'kysely';
import type { Queryable } from '../../platform/db.ts';
import type { Tables, Tenant } from '../../tables.ts';
import { forTenant } from '../../tenancy.ts';
import { firstFileCheckAt, MAX_PREVIEW_ATTEMPTS } from '../rules.ts';
import { type RecordingKey, type RecordingRow, tenantOf, updateInStatus } from './recordings.ts';

/**
 * Claims a waiting take, or one whose worker sent no heartbeat since `abandonedBefore`. Later writes name the attempt
 * returned here, so a worker that lost its claim changes nothing.
 */
export async function claim(
  db: Queryable<Tables>,
  tenant: Tenant,
  id: string,
  times: { now: Date; abandonedBefore: Date },
): Promise<RecordingRow | null> {
  const row = await forTenant(db, tenant)
    .updateTable('recordings')
    .set({ status: 'processing', attempts: sql`attempts + 1`, progress: 0, touched_at: times.now })
    .where('id', '=', id)
    .where((where) =>
      where.or([
        where('status', '=', 'uploaded'),
        where.and([where('status', '=', 'processing'), where('touched_at', '<', times.abandonedBefore)]),
      ]),
    )
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

type Claimed = Pick<RecordingRow, 'organization_id' | 'environment' | 'id' | 'attempts'>;

const updateClaimed = (db: Queryable<Tables>, claimed: Claimed) =>
  updateInStatus(db, tenantOf(claimed), claimed.id, 'processing').where('attempts', '=', claimed.attempts);

/** Returns false when the claim is lost or the intro has closed, so the work can stop. */
export async function recordHeartbeat(
  db: Queryable<Tables>,
  claimed: Claimed,
  progress: number,
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await updateClaimed(db, claimed)
    .set({ progress, touched_at: now })
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
  | { status: 'uploaded'; attempts: number };

/** Ends the claim. Returns false when it was already lost. */
export async function settle(db: Queryable<Tables>, claimed: Claimed, outcome: Outcome, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await updateClaimed(db, claimed)
    .set({
      ...outcome,
      touched_at: now,
      ...(outcome.status !== 'uploaded' && { files_look_at: firstFileCheckAt(outcome.status, now) }),
    })
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function markPreviewed(db: Queryable<Tables>, tenant: Tenant, id: string): Promise<void> {
  await updateInStatus(db, tenant, id, 'ready').set({ has_preview: true }).execute();
}

/** Finds takes that a crash left without a job or a worker. Touches the waiting ones, so the next sweep skips them. */
export async function takeStranded(
  db: Queryable<Tables>,
  times: { now: Date; unqueuedBefore: Date; abandonedBefore: Date },
  limit: number,
): Promise<RecordingKey[]> {
  const { rows } = await sql<RecordingKey>`
    update recordings r set touched_at = case when r.status = 'uploaded' then ${times.now} else r.touched_at end
    from (
      select organization_id, id from recordings
      where status in ('uploading', 'uploaded', 'processing')
        and ((status = 'uploaded' and touched_at < ${times.unqueuedBefore})
          or (status = 'processing' and touched_at < ${times.abandonedBefore}))
      order by touched_at limit ${limit} for update skip locked
    ) s
    where r.organization_id = s.organization_id and r.id = s.id
    returning r.organization_id, r.environment, r.id`.execute(db);
  return rows;
}

/** Finds published takes whose preview is overdue. Counts an attempt for each, so the retries end. */
export async function takeUnpreviewed(
  db: Queryable<Tables>,
  times: { now: Date; wantedSince: Date; overdueBefore: Date; failedBefore: Date },
  limit: number,
): Promise<RecordingKey[]> {
  const { rows } = await sql<RecordingKey>`
    update recordings r set attempts = r.attempts + 1, touched_at = ${times.now}
    from (
      select t.organization_id, t.id from recordings t
      join intros i on i.organization_id = t.organization_id and i.id = t.intro_id and i.recording_id = t.id
      where t.status = 'ready' and not t.has_preview and t.attempts < ${sql.lit(MAX_PREVIEW_ATTEMPTS)}
        and t.touched_at between ${times.wantedSince} and ${times.overdueBefore} and t.ready_at > ${times.wantedSince}
        and (t.attempts = 0 or t.touched_at < ${times.failedBefore}) and i.status in ('ready', 'sent')
      order by t.touched_at limit ${limit} for update of t skip locked
    ) s
    where r.organization_id = s.organization_id and r.id = s.id
    returning r.organization_id, r.environment, r.id`.execute(db);
  return rows;
}
