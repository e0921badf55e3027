import { sql } from 'kysely';
import { acrossTenants, type Db, type Row } from '../../db/tenancy.ts';

export async function readMigrationNames(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from migrations order by name`.execute(db);
  return rows.map(({ name }) => name);
}

export interface Counts {
  readonly organizations: number;
  readonly members: number;
  readonly events: number;
  readonly intros: number;
  readonly recordings: number;
}

export async function countRows(db: Db): Promise<Counts> {
  const { rows } = await sql<Counts>`
    select (select count(*)::int from organizations) as organizations, (select count(*)::int from members) as members,
      (select count(*)::int from touchpoint_events) as events, (select count(*)::int from intros) as intros,
      (select count(*)::int from recordings) as recordings`.execute(db);
  if (rows[0] === undefined) throw new Error('counting returned no row');
  return rows[0];
}

export type NeededTake = Pick<
  Row<'recordings'>,
  'organization_id' | 'id' | 'status' | 'parts' | 'has_captions' | 'has_preview'
>;

/** Takes whose files a page shows or the worker needs, without those that the sweeper was about to delete. */
export function findNeededTakes(db: Db, at: Date): Promise<NeededTake[]> {
  return acrossTenants(db)
    .selectFrom('recordings as r')
    .innerJoin('intros as i', (join) =>
      join.onRef('i.organization_id', '=', 'r.organization_id').onRef('i.id', '=', 'r.intro_id'),
    )
    .select(['r.organization_id', 'r.id', 'r.status', 'r.parts', 'r.has_captions', 'r.has_preview'])
    .where('r.deleted_at', 'is', null)
    .where((where) => where.or([where('r.files_check_at', 'is', null), where('r.files_check_at', '>', at)]))
    .where((where) =>
      where.or([
        where('r.status', 'in', ['uploading', 'uploaded', 'processing']),
        where.and([where('r.status', '=', 'ready'), where('i.recording_id', '=', where.ref('r.id'))]),
      ]),
    )
    .execute();
}

/** Keys of logos and photos. */
export async function findPictures(db: Db): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`
    select logo as key from organizations where logo is not null
    union select photo from members where photo is not null`.execute(db);
  return rows.map(({ key }) => key);
}
