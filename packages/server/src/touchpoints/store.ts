/** The SQL of touchpoints and their history. */

import type { TouchpointField, TouchpointFieldChange } from '@foreword/contract';
import { sql } from 'kysely';
import { acrossTenants, type Db, forTenant, lockOrganization, type Row, type Tenant } from '../db/tenancy.ts';

export async function insertTouchpoints(db: Db, rows: Row<'touchpoints'>[]): Promise<void> {
  if (rows.length > 0) await acrossTenants(db).insertInto('touchpoints').values(rows).execute();
}

/** False when the organization already has a touchpoint with this slug. */
export async function insertTouchpoint(db: Db, row: Row<'touchpoints'>): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await acrossTenants(db)
    .insertInto('touchpoints')
    .values(row)
    .onConflict((on) => on.columns(['slug', 'organization_id', 'environment']).doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

const touchpoints = (db: Db, tenant: Tenant) => forTenant(db, tenant).selectFrom('touchpoints').selectAll();

/** In the organization's own order. */
export function listTouchpoints(db: Db, tenant: Tenant): Promise<Row<'touchpoints'>[]> {
  return touchpoints(db, tenant).orderBy('position').orderBy('id').execute();
}

export async function findTouchpoint(db: Db, tenant: Tenant, slug: string): Promise<Row<'touchpoints'> | null> {
  return (await touchpoints(db, tenant).where('slug', '=', slug).executeTakeFirst()) ?? null;
}

export async function findTouchpointById(db: Db, tenant: Tenant, id: string): Promise<Row<'touchpoints'> | null> {
  return (await touchpoints(db, tenant).where('id', '=', id).executeTakeFirst()) ?? null;
}

/** Other changes to this touchpoint wait until the transaction ends. */
export async function lockTouchpoint(db: Db, tenant: Tenant, slug: string): Promise<Row<'touchpoints'> | null> {
  return (await touchpoints(db, tenant).where('slug', '=', slug).forUpdate().executeTakeFirst()) ?? null;
}

/** Lists all touchpoints in order; other transactions that add or move one wait. */
export async function lockOrder(db: Db, tenant: Tenant): Promise<Row<'touchpoints'>[]> {
  await lockOrganization(db, tenant);
  return listTouchpoints(db, tenant);
}

export type TouchpointChange = Partial<Pick<Row<'touchpoints'>, TouchpointField>>;

/** The caller holds the lock on the touchpoint. */
export function updateTouchpoint(
  db: Db,
  tenant: Tenant,
  { id, version }: Pick<Row<'touchpoints'>, 'id' | 'version'>,
  change: TouchpointChange,
  now: Date,
): Promise<Row<'touchpoints'>> {
  return forTenant(db, tenant)
    .updateTable('touchpoints')
    .set({ ...change, updated_at: now, version: version + 1 })
    .where('id', '=', id)
    .where('version', '=', version)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Sets positions to the order of `ids`. The position is not edited content, so the version stays. */
export async function setPositions(db: Db, tenant: Tenant, ids: readonly string[]): Promise<void> {
  await sql`
    update touchpoints t set position = o.place - 1
    from unnest(${ids}::text[]) with ordinality as o(id, place)
    where ${forTenant(db, tenant).owns('t')} and t.id = o.id and t.position <> o.place - 1`.execute(db);
}

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

/** A change of a touchpoint's script, with its author. From its version on, intros have this script. */
export interface ScriptChangeRow
  extends Pick<ChangeRow, 'version' | 'created_at' | 'member_id' | 'first_name' | 'last_name'> {
  /** Counts the versions of the script; the first change leads to version 2. */
  readonly number: number;
  readonly before: string;
  readonly after: string;
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
