/** Folder: the SQL of takes and uploads. */

import { sql } from 'kysely';
import { acrossTenants, type Db, forTenant, type Row, type Tenant } from '../../db/tenancy.ts';
import { realTime } from '../../platform/clock.ts';
import { idBound } from '../../platform/ids.ts';
import type { Trim } from '../media/index.ts';
import { firstFileCheckAt } from '../rules.ts';
import { trimColumns } from '../trim.ts';

export type RecordingRow = Row<'recordings'>;
export type RecordingKey = Pick<RecordingRow, 'organization_id' | 'environment' | 'id'>;

export async function insertRecording(
  db: Db,
  tenant: Tenant,
  recording: {
    id: string;
    introId: string;
    /** Who is in it. Not given: the member who records the intro now. */
    memberId?: string;
    mediaType: string;
    length: number | null;
    trim?: Trim | null;
    simulated?: boolean;
  },
  now: Date,
): Promise<void> {
  await forTenant(db, tenant)
    .insertInto('recordings')
    .values({
      organization_id: tenant.organizationId,
      environment: tenant.environment,
      id: recording.id,
      intro_id: recording.introId,
      member_id:
        recording.memberId ??
        sql<string>`(select member_id from intros where organization_id = ${tenant.organizationId} and id = ${recording.introId})`,
      status: 'uploading',
      media_type: recording.mediaType,
      upload_length: recording.length,
      ...trimColumns(recording.trim ?? null),
      simulated: recording.simulated ?? false,
      created_at: now,
      touched_at: realTime(now),
    })
    .execute();
}

export async function findRecording(db: Db, tenant: Tenant, id: string): Promise<RecordingRow | null> {
  const row = await forTenant(db, tenant).selectFrom('recordings').selectAll().where('id', '=', id).executeTakeFirst();
  return row ?? null;
}

/** Sorts takes by when they arrived; one still uploading counts from when it was started. */
export const NEWEST_FIRST = sql`coalesce(received_at, created_at) desc, id desc`;

/** The newest take of an intro, ignoring discarded ones. */
export async function findLatest(db: Db, tenant: Tenant, introId: string): Promise<RecordingRow | null> {
  const row = await forTenant(db, tenant)
    .selectFrom('recordings')
    .selectAll()
    .where('intro_id', '=', introId)
    .where('status', '<>', 'discarded')
    .orderBy(NEWEST_FIRST)
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}

export async function countSince(db: Db, tenant: Tenant, introId: string, since: Date): Promise<number> {
  const { count } = await forTenant(db, tenant)
    .selectFrom('recordings')
    .select((of) => of.fn.countAll<string>().as('count'))
    .where('intro_id', '=', introId)
    .where('created_at', '>', since)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** An update of one recording, guarded by the status it must have. */
export const updateInStatus = (db: Db, tenant: Tenant, id: string, status: RecordingRow['status']) =>
  forTenant(db, tenant).updateTable('recordings').where('id', '=', id).where('status', '=', status);

/** The bytes that an organization has uploaded, including discarded takes. Ids sort by creation time, so the key's index is used. */
export async function uploadedBytesSince(db: Db, tenant: Tenant, since: Date): Promise<number> {
  const { bytes } = await forTenant(db, tenant)
    .selectFrom('recordings')
    .select(sql<string>`coalesce(sum(upload_offset), 0)`.as('bytes'))
    .where('id', '>=', idBound('rec', since))
    .executeTakeFirstOrThrow();
  return Number(bytes);
}

const UPLOADED_WHEN_COMPLETE = sql<'uploading' | 'uploaded'>`
  case when upload_length = upload_offset then 'uploaded' else 'uploading' end`;

/** Returns the upload's status, or null when another request wrote at this offset first or the upload has ended. */
export async function appendPart(
  db: Db,
  tenant: Tenant,
  id: string,
  part: { name: string; offset: number; size: number },
  now: Date,
): Promise<'uploading' | 'uploaded' | null> {
  const row = await updateInStatus(db, tenant, id, 'uploading')
    .set({
      upload_offset: part.offset + part.size,
      parts: sql`parts || ${part.name}::text`,
      touched_at: realTime(now),
    })
    .where('upload_offset', '=', part.offset)
    .where((where) =>
      where.or([where('upload_length', 'is', null), where('upload_length', '>=', part.offset + part.size)]),
    )
    .returning('id')
    .executeTakeFirst();
  return row === undefined ? null : completeIfWhole(db, tenant, id, now);
}

export async function declareLength(
  db: Db,
  tenant: Tenant,
  id: string,
  declared: { length: number; trim: Trim | null },
  now: Date,
): Promise<'uploading' | 'uploaded' | null> {
  const row = await updateInStatus(db, tenant, id, 'uploading')
    .set({ upload_length: declared.length, ...trimColumns(declared.trim), touched_at: realTime(now) })
    .where('upload_length', 'is', null)
    .where('upload_offset', '<=', declared.length)
    .returning('id')
    .executeTakeFirst();
  return row === undefined ? null : completeIfWhole(db, tenant, id, now);
}

async function completeIfWhole(db: Db, tenant: Tenant, id: string, now: Date): Promise<'uploading' | 'uploaded'> {
  const { status } = await updateInStatus(db, tenant, id, 'uploading')
    .set({
      status: UPLOADED_WHEN_COMPLETE,
      received_at: sql<Date | null>`case when upload_length = upload_offset then ${now}::timestamptz end`,
    })
    .returning('status')
    .executeTakeFirstOrThrow();
  return status === 'uploaded' ? 'uploaded' : 'uploading';
}

const discarded = (now: Date) =>
  ({ status: 'discarded', touched_at: now, files_check_at: firstFileCheckAt('discarded', now) }) as const;

/** Returns false when the upload has already been completed, refused or discarded. */
export async function discardUpload(db: Db, tenant: Tenant, id: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await updateInStatus(db, tenant, id, 'uploading')
    .set(discarded(realTime(now)))
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Discards uploads that were started and never resumed. */
export async function discardStale(db: Db, before: Date, now: Date): Promise<number> {
  const { numUpdatedRows } = await acrossTenants(db)
    .updateTable('recordings')
    .set(discarded(realTime(now)))
    // The first condition repeats the partial index's own, so that the planner uses it.
    .where(sql<boolean>`status in ('uploading', 'uploaded', 'processing') and status = 'uploading'`)
    .where('touched_at', '<', before)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** Discards the unfinished uploads of an intro that was reassigned. Their files can be deleted at once. */
export async function discardIntroUploads(db: Db, tenant: Tenant, introId: string, now: Date): Promise<void> {
  await forTenant(db, tenant)
    .updateTable('recordings')
    .set({ status: 'discarded', touched_at: realTime(now), files_check_at: realTime(now) })
    .where('intro_id', '=', introId)
    .where('status', '=', 'uploading')
    .execute();
}
