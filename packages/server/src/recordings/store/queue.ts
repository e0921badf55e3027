import { sql } from 'kysely';
import type { Database, Db } from '../../db/tenancy.ts';
import { MAX_PREVIEW_ATTEMPTS } from '../rules.ts';
import type { RecordingKey, RecordingRow } from './recordings.ts';

/** Repeats the condition of the index `recordings_in_flight`, so that the planner uses it. */
const IN_FLIGHT = sql`r.status in ('uploading', 'uploaded', 'processing')`;

export interface Room {
  /** False when all slots for heavy takes are taken. */
  readonly allowsHeavy: boolean;
  /** They have enough slots; only their heavy takes may start. */
  readonly fullOrganizations: readonly string[];
}

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
