/** Folder: the SQL of takes and uploads. */

import { sql } from 'kysely';
import { type Db, forTenant, type Row, type Tenant } from '../../db/tenancy.ts';
import { realTime } from '../../platform/clock.ts';
import type { Trim } from '../media/index.ts';
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
