import { sql } from 'kysely';
import { type Database, type Db, type Tenant, tenantOf } from '../../db/tenancy.ts';
import { realTime } from '../../platform/clock.ts';
import { firstFileCheckAt, MAX_PREVIEW_ATTEMPTS, type roomBeside } from '../rules.ts';
import { type RecordingKey, type RecordingRow, updateInStatus } from './uploads.ts';

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

/** Repeats the condition of the index `recordings_in_flight`, so that the planner uses it. */
const IN_FLIGHT = sql`r.status in ('uploading', 'uploaded', 'processing')`;

type Room = NonNullable<ReturnType<typeof roomBeside>>;

/**
 * Claims the next waiting take: first attempts before retries, then the organization that got an encoder longest ago, then the
 * take received first. Later writes name the attempt returned here, so a worker that lost its claim changes nothing.
 */
export async function claimNext(
  db: Db,
  { allowsHeavy, fullOrganizations }: Room,
  times: { now: Date; patientSince: Date },
): Promise<RecordingRow | null> {
  const { rows } = await sql<RecordingRow>`
    with next as (
      select r.organization_id, r.environment, r.id
      from recordings r
      left join encoding_claims c on c.organization_id = r.organization_id and c.environment = r.environment
      where ${IN_FLIGHT} and r.status = 'uploaded'
        and (r.retry_at is null or r.retry_at <= ${times.now})
        and case when r.heavy then ${allowsHeavy} else r.organization_id <> all(${fullOrganizations}::text[]) end
      order by coalesce(r.retry_at > ${times.patientSince}, false), c.claimed_at nulls first, r.received_at, r.id
      limit 1 for update of r skip locked
    ), claimed as (
      insert into encoding_claims (organization_id, environment, claimed_at)
      select organization_id, environment, clock_timestamp() from next
      on conflict (organization_id, environment) do update set claimed_at = excluded.claimed_at
    )
    update recordings r set status = 'processing', attempts = r.attempts + 1, progress = 0, touched_at = ${times.now}
    from next where r.organization_id = next.organization_id and r.id = next.id
    returning r.*`.execute(db);
  return rows[0] ?? null;
}

/** Returns takes to the queue whose worker sent no heartbeat since `abandonedBefore`. */
export async function releaseAbandoned(
  db: Db,
  times: { now: Date; abandonedBefore: Date },
  delay: { firstMs: number; maxMs: number },
): Promise<(RecordingKey & Pick<RecordingRow, 'worker_deaths'>)[]> {
  const { rows } = await sql<RecordingKey & Pick<RecordingRow, 'worker_deaths'>>`
    update recordings r set status = 'uploaded', progress = 0, worker_deaths = r.worker_deaths + 1, touched_at = ${times.now},
      retry_at = ${times.now}::timestamptz
        + least(${delay.firstMs} * power(2, least(r.worker_deaths, 20)), ${delay.maxMs}) * interval '1 millisecond'
    where ${IN_FLIGHT} and r.status = 'processing' and r.touched_at < ${times.abandonedBefore}
    returning r.organization_id, r.environment, r.id, r.worker_deaths`.execute(db);
  return rows;
}

/** Claims a published take whose preview is overdue. Counts an attempt, so the retries end. */
export async function claimUnpreviewed(
  db: Db,
  times: { now: Date; wantedSince: Date; overdueBefore: Date; failedBefore: Date },
): Promise<RecordingRow | null> {
  const { rows } = await sql<RecordingRow>`
    update recordings r set attempts = r.attempts + 1, touched_at = ${times.now}
    from (
      select t.organization_id, t.id from recordings t
      join intros i on i.organization_id = t.organization_id and i.id = t.intro_id and i.recording_id = t.id
      where t.status = 'ready' and not t.has_preview and t.attempts < ${sql.lit(MAX_PREVIEW_ATTEMPTS)}
        and t.touched_at between ${times.wantedSince} and ${times.overdueBefore} and t.ready_at > ${times.wantedSince}
        and (t.attempts = 0 or t.touched_at < ${times.failedBefore}) and i.status in ('ready', 'sent')
      order by t.touched_at limit 1 for update of t skip locked
    ) s
    where r.organization_id = s.organization_id and r.id = s.id
    returning r.*`.execute(db);
  return rows[0] ?? null;
}

/** How long the oldest take has waited for its video, including one whose worker died; 0 if none waits. */
export async function oldestWaitingTakeMs({ pool }: Database, now: Date): Promise<number> {
  const { rows } = await pool.query<{ oldest: Date | null }>(
    `select min(received_at) as oldest from recordings
     where status in ('uploading', 'uploaded', 'processing') and status <> 'uploading'`,
  );
  const oldest = rows[0]?.oldest ?? null;
  return oldest === null ? 0 : Math.max(0, now.getTime() - oldest.getTime());
}
