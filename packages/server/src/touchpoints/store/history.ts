import type { TouchpointFieldChange } from '@foreword/contract';
import { sql } from 'kysely';
import { acrossTenants, type Db, forTenant, type Row, type Tenant } from '../../db/tenancy.ts';

type StoredChange = Row<'touchpoint_changes'>;

/** A change with the name of its author. The names are null for a change made with an operator command. */
export type ChangeRow = Omit<StoredChange, 'fields'> & {
  readonly fields: TouchpointFieldChange[];
  readonly first_name: string | null;
  readonly last_name: string | null;
};

export async function insertChange(
  db: Db,
  { fields, ...row }: Omit<StoredChange, 'fields'> & { fields: readonly TouchpointFieldChange[] },
): Promise<void> {
  await acrossTenants(db)
    .insertInto('touchpoint_changes')
    .values({ ...row, fields: JSON.stringify(fields) })
    .execute();
}

const withAuthors = (db: Db, tenant: Tenant, touchpointId: string) =>
  forTenant(db, tenant)
    .selectFrom('touchpoint_changes', 'c')
    .leftJoin('members as m', (on) =>
      on.onRef('m.organization_id', '=', 'c.organization_id').onRef('m.id', '=', 'c.member_id'),
    )
    .selectAll('c')
    .select(['m.first_name', 'm.last_name'])
    .where('c.touchpoint_id', '=', touchpointId)
    .$narrowType<{ fields: TouchpointFieldChange[] }>();

/** Newest first. */
export async function listChanges(
  db: Db,
  tenant: Tenant,
  touchpointId: string,
  page: { before: string | undefined; limit: number },
): Promise<ChangeRow[]> {
  let query = withAuthors(db, tenant, touchpointId).orderBy('c.id', 'desc').limit(page.limit);
  if (page.before !== undefined) query = query.where('c.id', '<', page.before);
  return query.execute();
}

export async function findChange(db: Db, tenant: Tenant, touchpointId: string, id: string): Promise<ChangeRow | null> {
  const row = await withAuthors(db, tenant, touchpointId).where('c.id', '=', id).executeTakeFirst();
  return row ?? null;
}

export async function findLastChange(db: Db, tenant: Tenant, touchpointId: string): Promise<ChangeRow | null> {
  const [last] = await listChanges(db, tenant, touchpointId, { before: undefined, limit: 1 });
  return last ?? null;
}

/** A change of a touchpoint's script, with its author. The names are null for a change made with an operator command. */
export interface ScriptChangeRow {
  /** Counts the versions of the script; the first change leads to version 2. */
  readonly number: number;
  /** The version of the touchpoint from which on intros have this script. */
  readonly version: number;
  readonly before: string;
  readonly after: string;
  readonly created_at: Date;
  readonly member_id: string | null;
  readonly first_name: string | null;
  readonly last_name: string | null;
}

/** Newest first. */
export async function listScriptChanges(
  db: Db,
  tenant: Tenant,
  touchpointId: string,
  limit: number,
): Promise<ScriptChangeRow[]> {
  const { rows } = await sql<ScriptChangeRow>`
    select c.number, c.version, c.script ->> 'before' as before, c.script ->> 'after' as after, c.created_at, c.member_id,
      m.first_name, m.last_name
    from (
      select c.*, script, (row_number() over (order by id))::int + 1 as number
      from touchpoint_changes c
      cross join lateral jsonb_path_query_first(c.fields, '$[*] ? (@.field == "script")') as script
      where ${forTenant(db, tenant).owns('c')} and c.touchpoint_id = ${touchpointId} and script is not null
    ) c
    left join members m on m.organization_id = c.organization_id and m.id = c.member_id
    order by c.number desc limit ${limit}`.execute(db);
  return rows;
}
