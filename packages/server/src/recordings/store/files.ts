import type { IntroStatus } from '@foreword/contract';
import { type RawBuilder, sql } from 'kysely';
import { acrossTenants, type Db, forTenant, type Tenant, tenantOf } from '../../db/tenancy.ts';
import { SECOND_DELETION_MS } from '../rules.ts';
import type { RecordingKey, RecordingRow } from './uploads.ts';

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
export async function markDeletedOnce(
  db: Db,
  { organization_id: organizationId, environment, id }: RecordingKey,
  now: Date,
): Promise<void> {
  await forTenant(db, { organizationId, environment })
    .updateTable('recordings')
    .set({ original_deleted_at: now, files_check_at: secondDeletionAt(now) })
    .where('id', '=', id)
    .execute();
}

/** Whether the take was discarded because its member withdrew consent. A process that works on it must leave no files. */
export async function isWithdrawn(
  db: Db,
  { organization_id: organizationId, environment, id }: RecordingKey,
): Promise<boolean> {
  const row = await forTenant(db, { organizationId, environment })
    .selectFrom('recordings', 'r')
    .innerJoin('members as m', (on) =>
      on.onRef('m.organization_id', '=', 'r.organization_id').onRef('m.id', '=', 'r.member_id'),
    )
    .select('r.id')
    .where('r.id', '=', id)
    .where('r.status', '=', 'discarded')
    .where('m.likeness_withdrawn_at', 'is not', null)
    .executeTakeFirst();
  return row !== undefined;
}
