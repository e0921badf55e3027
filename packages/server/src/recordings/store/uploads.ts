/** Folder: the SQL of takes and uploads. */

import type { IntroStatus } from '@foreword/contract';
import { type RawBuilder, sql } from 'kysely';
import {
  acrossTenants,
  columnsOf,
  type Db,
  forTenant,
  type Row,
  type Tenant,
  type Tx,
  tenantOf,
} from '../../db/tenancy.ts';
import { realTime } from '../../platform/clock.ts';
import { idBound } from '../../platform/ids.ts';
import { type Edits, editColumns, NO_EDITS } from '../edits.ts';
import { firstFileCheckAt, SECOND_DELETION_MS } from '../rules.ts';

export type RecordingRow = Row<'recordings'>;
export type RecordingKey = Pick<RecordingRow, 'organization_id' | 'environment' | 'id'>;

/** The channel of the hint that wakes the workers that encode. */
export const TAKES_WAITING = 'foreword_takes';

/** Wakes the workers after the transaction. */
export async function notifyTakesWaiting(tx: Tx): Promise<void> {
  await sql`select hint(${TAKES_WAITING}, '')`.execute(tx);
}

export async function insertRecording(
  db: Db,
  tenant: Tenant,
  recording: {
    id: string;
    introId: string;
    /** The member in the take. Not given: the one who records the intro now. */
    memberId?: string;
    mediaType: string;
    length: number | null;
    edits?: Edits;
    simulated?: boolean;
  },
  now: Date,
): Promise<void> {
  await forTenant(db, tenant)
    .insertInto('recordings')
    .values({
      ...columnsOf(tenant),
      id: recording.id,
      intro_id: recording.introId,
      member_id:
        recording.memberId ??
        sql<string>`(select member_id from intros where organization_id = ${tenant.organizationId} and id = ${recording.introId})`,
      status: 'uploading',
      media_type: recording.mediaType,
      upload_length: recording.length,
      ...editColumns(recording.edits ?? NO_EDITS),
      simulated: recording.simulated ?? false,
      created_at: now,
      touched_at: realTime(now),
    })
    .execute();
}

/** Whether the member still records the intro. Until the transaction ends, it is not reassigned. */
export async function lockIntroOf(tx: Tx, tenant: Tenant, introId: string, memberId: string): Promise<boolean> {
  const row = await forTenant(tx, tenant)
    .selectFrom('intros')
    .select('id')
    .where('id', '=', introId)
    .where('member_id', '=', memberId)
    .forKeyShare()
    .executeTakeFirst();
  return row !== undefined;
}

export async function findRecording(db: Db, tenant: Tenant, id: string): Promise<RecordingRow | null> {
  const row = await forTenant(db, tenant).selectFrom('recordings').selectAll().where('id', '=', id).executeTakeFirst();
  return row ?? null;
}

/** Sorts takes by when they arrived; one still uploading counts from when it was started. */
export const NEWEST_FIRST = sql`coalesce(received_at, created_at) desc, id desc`;

/** The newest take of an intro by the member who records it now, ignoring discarded ones. */
export async function findLatest(db: Db, tenant: Tenant, introId: string): Promise<RecordingRow | null> {
  const row = await forTenant(db, tenant)
    .selectFrom('recordings')
    .selectAll()
    .where('intro_id', '=', introId)
    .where(sql<boolean>`member_id = (
      select member_id from intros where organization_id = recordings.organization_id and id = recordings.intro_id)`)
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
  declared: { length: number; edits: Edits },
  now: Date,
): Promise<'uploading' | 'uploaded' | null> {
  const row = await updateInStatus(db, tenant, id, 'uploading')
    .set({ upload_length: declared.length, ...editColumns(declared.edits), touched_at: realTime(now) })
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
export async function discardIntroUploads(
  db: Db,
  tenant: Tenant,
  introIds: readonly string[],
  now: Date,
): Promise<void> {
  await forTenant(db, tenant)
    .updateTable('recordings')
    .set({ status: 'discarded', touched_at: realTime(now), files_check_at: realTime(now) })
    .where('intro_id', 'in', introIds)
    .where('status', '=', 'uploading')
    .execute();
}

/** Part of a list whose first rows are skipped. */
interface Part {
  readonly limit: number;
  readonly skipped: number;
}

export function findOldOriginals(db: Db, before: Date, { limit, skipped }: Part): Promise<RecordingKey[]> {
  return acrossTenants(db)
    .selectFrom('recordings')
    .select(['organization_id', 'environment', 'id'])
    .where('original_deleted_at', 'is', null)
    .where(sql<boolean>`status in ('ready', 'refused', 'discarded')`)
    .where('received_at', '<', before)
    .orderBy('received_at')
    .limit(limit)
    .offset(skipped)
    .execute();
}

interface TakeWithFiles extends RecordingKey {
  readonly status: RecordingRow['status'];
  readonly is_retriable: boolean;
  readonly is_shown: boolean;
  readonly intro_status: IntroStatus;
  readonly sent_at: Date | null;
}

/** Takes whose files are due for a check whether they are still needed. */
export async function findDueFileChecks(db: Db, now: Date, { limit, skipped }: Part): Promise<TakeWithFiles[]> {
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
      order by files_check_at limit ${limit} offset ${skipped}
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
  await update(db, key).set({ deleted_at: now, original_deleted_at: now, captions: null }).execute();
}

const secondDeletionAt = (now: Date): Date => new Date(now.getTime() + SECOND_DELETION_MS);

/** The takes of a member, as `theirs`. Found by the intros that the member has or had. */
const theirs = (db: Db, tenant: Tenant, memberId: string): RawBuilder<unknown> => sql`
  touched as (
    select organization_id, id from intros
    where ${forTenant(db, tenant).owns()} and member_id = ${memberId}
    union
    select a.organization_id, a.intro_id from intro_reassignments a
    where ${forTenant(db, tenant).owns('a')} and a.from_member_id = ${memberId}
  ), theirs as (
    select r.organization_id, r.environment, r.id, r.status from touched t
    join recordings r on r.organization_id = t.organization_id and r.intro_id = t.id
    where r.deleted_at is null and r.member_id = ${memberId}
  )`;

/** Discards every take of the member: uploads cannot continue, and encoders stop. */
export async function discardTakesOf(db: Db, tenant: Tenant, memberId: string, now: Date): Promise<void> {
  await sql`
    with ${theirs(db, tenant, memberId)}
    update recordings r set status = 'discarded', touched_at = ${now}, files_check_at = ${secondDeletionAt(now)}
    from theirs t where r.organization_id = t.organization_id and r.id = t.id and r.status <> 'discarded'`.execute(
    acrossTenants(db),
  );
}

/** Takes of the member whose files may still exist, in the order of their ids. */
export async function listTakesWithFiles(
  db: Db,
  tenant: Tenant,
  memberId: string,
  page: { readonly after: string; readonly limit: number },
): Promise<RecordingKey[]> {
  const { rows } = await sql<RecordingKey>`
    with ${theirs(db, tenant, memberId)}
    select organization_id, environment, id from theirs where id > ${page.after} order by id limit ${page.limit}`.execute(
    acrossTenants(db),
  );
  return rows;
}

/** The files are deleted a second time later: a process that was killed may have stored one more. */
export async function markDeletedOnce(db: Db, key: RecordingKey, now: Date): Promise<void> {
  await update(db, key)
    .set({ original_deleted_at: now, files_check_at: secondDeletionAt(now) })
    .execute();
}

/** Whether the take was discarded because its member withdrew consent. A process that works on it must leave no files. */
export async function isWithdrawn(db: Db, key: RecordingKey): Promise<boolean> {
  const row = await forTenant(db, tenantOf(key))
    .selectFrom('recordings', 'r')
    .innerJoin('members as m', (on) =>
      on.onRef('m.organization_id', '=', 'r.organization_id').onRef('m.id', '=', 'r.member_id'),
    )
    .select('r.id')
    .where('r.id', '=', key.id)
    .where('r.status', '=', 'discarded')
    .where('m.likeness_withdrawn_at', 'is not', null)
    .executeTakeFirst();
  return row !== undefined;
}
