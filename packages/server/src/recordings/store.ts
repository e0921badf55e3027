import { type Selectable, sql } from 'kysely';
import type { Queryable } from '../platform/db.ts';
import type { IntroStatus, RecordingTable, Tables, Tenant } from '../tables.ts';
import { firstLookAt } from './rules.ts';

export type RecordingRow = Selectable<RecordingTable>;

const UPLOADED_WHEN_WHOLE = sql<'uploading' | 'uploaded'>`
  case when upload_length = upload_offset then 'uploaded' else 'uploading' end`;

export async function insertRecording(
  db: Queryable<Tables>,
  tenant: Tenant,
  recording: { id: string; introId: string; mediaType: string; length: number | null },
  now: Date,
): Promise<void> {
  await db
    .insertInto('recordings')
    .values({
      organization_id: tenant.organizationId,
      environment: tenant.environment,
      id: recording.id,
      intro_id: recording.introId,
      status: 'uploading',
      media_type: recording.mediaType,
      upload_length: recording.length,
      created_at: now,
      touched_at: now,
    })
    .execute();
}

const own = (db: Queryable<Tables>, tenant: Tenant) =>
  db
    .selectFrom('recordings')
    .selectAll()
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment);

export async function findRecording(db: Queryable<Tables>, tenant: Tenant, id: string): Promise<RecordingRow | null> {
  return (await own(db, tenant).where('id', '=', id).executeTakeFirst()) ?? null;
}

/** The newest first, as takes replace each other: by when it was received, and until then by when it was begun. */
export const NEWEST_FIRST = sql`coalesce(received_at, created_at) desc, id desc`;

/** The newest take of an intro that was not thrown away. */
export async function findLatest(db: Queryable<Tables>, tenant: Tenant, introId: string): Promise<RecordingRow | null> {
  const row = await own(db, tenant)
    .where('intro_id', '=', introId)
    .where('status', '<>', 'discarded')
    .orderBy(NEWEST_FIRST)
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}

export async function countSince(db: Queryable<Tables>, tenant: Tenant, introId: string, since: Date): Promise<number> {
  const { count } = await db
    .selectFrom('recordings')
    .select((of) => of.fn.countAll<string>().as('count'))
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment)
    .where('intro_id', '=', introId)
    .where('created_at', '>', since)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Every change of a recording: its own row, while it is in this state. */
const update = (db: Queryable<Tables>, tenant: Tenant, id: string, status: RecordingRow['status']) =>
  db
    .updateTable('recordings')
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .where('status', '=', status);

/** Null when another request wrote at this offset first, or the upload is over. Else where the upload stands. */
export async function appendPart(
  db: Queryable<Tables>,
  tenant: Tenant,
  id: string,
  part: { name: string; offset: number; size: number },
  now: Date,
  touchedAt = now,
): Promise<'uploading' | 'uploaded' | null> {
  const row = await update(db, tenant, id, 'uploading')
    .set({
      upload_offset: part.offset + part.size,
      parts: sql`parts || ${part.name}::text`,
      touched_at: touchedAt,
    })
    .where('upload_offset', '=', part.offset)
    .where((where) =>
      where.or([where('upload_length', 'is', null), where('upload_length', '>=', part.offset + part.size)]),
    )
    .returning('id')
    .executeTakeFirst();
  return row === undefined ? null : settleUpload(db, tenant, id, now);
}

export async function declareLength(
  db: Queryable<Tables>,
  tenant: Tenant,
  id: string,
  length: number,
  now: Date,
): Promise<'uploading' | 'uploaded' | null> {
  const row = await update(db, tenant, id, 'uploading')
    .set({ upload_length: length, touched_at: now })
    .where('upload_length', 'is', null)
    .where('upload_offset', '<=', length)
    .returning('id')
    .executeTakeFirst();
  return row === undefined ? null : settleUpload(db, tenant, id, now);
}

async function settleUpload(
  db: Queryable<Tables>,
  tenant: Tenant,
  id: string,
  now: Date,
): Promise<'uploading' | 'uploaded'> {
  const { status } = await update(db, tenant, id, 'uploading')
    .set({
      status: UPLOADED_WHEN_WHOLE,
      received_at: sql<Date | null>`case when upload_length = upload_offset then ${now}::timestamptz end`,
    })
    .returning('status')
    .executeTakeFirstOrThrow();
  return status === 'uploaded' ? 'uploaded' : 'uploading';
}

/** False when it was finished, refused or thrown away meanwhile. */
export async function discardUpload(db: Queryable<Tables>, tenant: Tenant, id: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await update(db, tenant, id, 'uploading')
    .set({ status: 'discarded', touched_at: now, files_look_at: firstLookAt('discarded', now) })
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/**
 * For one worker at a time: a take that waits, or one whose worker has shown no sign of life since `abandonedBefore`. The
 * attempt it returns is the claim: whatever is written later names it, so that a worker that was given up changes nothing.
 */
export async function claim(
  db: Queryable<Tables>,
  tenant: Tenant,
  id: string,
  times: { now: Date; abandonedBefore: Date },
): Promise<RecordingRow | null> {
  const row = await db
    .updateTable('recordings')
    .set({ status: 'processing', attempts: sql`attempts + 1`, progress: 0, touched_at: times.now })
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment)
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

const updateClaimed = (db: Queryable<Tables>, { organization_id, environment, id, attempts }: Claimed) =>
  update(db, { organizationId: organization_id, environment }, id, 'processing').where('attempts', '=', attempts);

/** A sign of life. False when the claim is lost, or the intro closed: there is nothing left to work for. */
export async function touch(db: Queryable<Tables>, claimed: Claimed, progress: number, now: Date): Promise<boolean> {
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

export type Settled =
  | ({ status: 'ready'; progress: 100; attempts: 0; ready_at: Date } & Pick<
      RecordingRow,
      'width' | 'height' | 'duration_ms' | 'bytes' | 'has_audio' | 'has_captions'
    >)
  | { status: 'refused'; refusal_code: string; refusal_message: string }
  | { status: 'discarded' }
  /** Back to the queue: the fault was ours and may pass. */
  | { status: 'uploaded'; attempts: number };

export async function settle(db: Queryable<Tables>, claimed: Claimed, outcome: Settled, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await updateClaimed(db, claimed)
    .set({
      ...outcome,
      touched_at: now,
      ...(outcome.status !== 'uploaded' && { files_look_at: firstLookAt(outcome.status, now) }),
    })
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function markPreviewed(db: Queryable<Tables>, tenant: Tenant, id: string): Promise<void> {
  await update(db, tenant, id, 'ready').set({ has_preview: true }).execute();
}

export type RecordingKey = Pick<RecordingRow, 'organization_id' | 'environment' | 'id'>;

/** Takes that a crash left without a job or without a worker. Touched, so that the next look passes them by. */
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

/** Uploads that nobody came back to. */
export async function discardStale(db: Queryable<Tables>, before: Date, now: Date): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('recordings')
    .set({ status: 'discarded', touched_at: now, files_look_at: firstLookAt('discarded', now) })
    .where(sql<boolean>`status in ('uploading', 'uploaded', 'processing') and status = 'uploading'`)
    .where('touched_at', '<', before)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

export function findOldOriginals(db: Queryable<Tables>, before: Date, limit: number): Promise<RecordingKey[]> {
  return db
    .selectFrom('recordings')
    .select(['organization_id', 'environment', 'id'])
    .where('original_deleted_at', 'is', null)
    .where(sql<boolean>`status in ('ready', 'refused', 'discarded')`)
    .where('received_at', '<', before)
    .orderBy('received_at')
    .limit(limit)
    .execute();
}

export async function markOriginalDeleted(db: Queryable<Tables>, key: RecordingKey, now: Date): Promise<void> {
  await db
    .updateTable('recordings')
    .set({ original_deleted_at: now })
    .where('organization_id', '=', key.organization_id)
    .where('id', '=', key.id)
    .execute();
}

export interface TakeWithFiles extends RecordingKey {
  readonly status: RecordingRow['status'];
  readonly is_shown: boolean;
  readonly intro_status: IntroStatus;
  readonly sent_at: Date | null;
}

/** Takes of whose files it is time to ask whether anybody needs them. */
export async function findFilesToJudge(db: Queryable<Tables>, now: Date, limit: number): Promise<TakeWithFiles[]> {
  const { rows } = await sql<TakeWithFiles>`
    select r.organization_id, r.environment, r.id, r.status, i.recording_id is not distinct from r.id as is_shown,
      i.status as intro_status, i.sent_at
    from (
      select organization_id, environment, id, status, intro_id from recordings
      where deleted_at is null and files_look_at is not null and files_look_at <= ${now}
      order by files_look_at limit ${limit}
    ) r
    join intros i on i.organization_id = r.organization_id and i.id = r.intro_id`.execute(db);
  return rows;
}

export async function lookAgain(db: Queryable<Tables>, key: RecordingKey, at: Date): Promise<void> {
  await db
    .updateTable('recordings')
    .set({ files_look_at: at })
    .where('organization_id', '=', key.organization_id)
    .where('id', '=', key.id)
    .execute();
}

export async function markDeleted(db: Queryable<Tables>, key: RecordingKey, now: Date): Promise<void> {
  await db
    .updateTable('recordings')
    .set({ deleted_at: now, original_deleted_at: now })
    .where('organization_id', '=', key.organization_id)
    .where('id', '=', key.id)
    .execute();
}
