import { sql } from 'kysely';
import type { Queryable } from '../platform/db.ts';
import type { MemberRow, Tables, Tenant } from '../tables.ts';

/**
 * For statements that resolve members on the way: a lateral join on the row `i`, which holds the tenant and a selector.
 * `m.ids` are the active members that match, at most two of them, since the second is only there to be told of.
 * A selector that is null compares as unknown, so its branch costs one empty look-up in an index; the last branch says so
 * itself, for a plan made while an organization had few members would look at all of them by and by.
 */
export const RESOLVE_MEMBER = `
  left join lateral (
    select array_agg(found.id) as ids from (
      select id from members
      where organization_id = i.organization_id and id = i.member_id and environment = i.environment and active
      union all
      select id from members
      where organization_id = i.organization_id and environment = i.environment and external_id = i.member_external_id and active
      union all
      (select id from members
      where i.member_email is not null
        and organization_id = i.organization_id and lower(email) = lower(i.member_email) and environment = i.environment and active
      limit 2)
    ) found
  ) m on true`;

/** False when another member of the organization has this external id. */
export async function insertMember(db: Queryable<Tables>, row: MemberRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('members')
    .values(row)
    .onConflict((on) => on.columns(['organization_id', 'environment', 'external_id']).doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

/** By id alone: the operator's command knows no organization. */
export async function deactivateMember(db: Queryable<Tables>, id: string): Promise<MemberRow | null> {
  const row = await db
    .updateTable('members')
    .set({ active: false })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** By id alone, as above. */
export async function findMemberOfAny(db: Queryable<Tables>, id: string): Promise<MemberRow | null> {
  return (await db.selectFrom('members').selectAll().where('id', '=', id).executeTakeFirst()) ?? null;
}

export type MemberChange = Partial<
  Pick<
    MemberRow,
    | 'first_name'
    | 'last_name'
    | 'email'
    | 'phone'
    | 'title'
    | 'photo'
    | 'notify_by'
    | 'words_per_minute'
    | 'lanes'
    | 'role'
    | 'external_id'
    | 'active'
    | 'pages_replaced_at'
  >
>;

/** Null when they are not there, or something of `was` is not what they have any more. */
export async function updateMember(
  db: Queryable<Tables>,
  tenant: Tenant,
  id: string,
  change: MemberChange,
  was: MemberChange = {},
): Promise<MemberRow | null> {
  let query = db
    .updateTable('members')
    .set(change)
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id);
  for (const [field, value] of Object.entries(was) as [keyof MemberChange, MemberChange[keyof MemberChange]][]) {
    // As one value: lanes are a list.
    query = query.where(field, 'is not distinct from', sql`${value}` as never);
  }
  return (await query.returningAll().executeTakeFirst()) ?? null;
}

export interface MemberFilter {
  /** null: all of them. */
  limit: number | null;
  startingAfter: string | undefined;
  email: string | undefined;
  externalId: string | undefined;
  active: boolean | undefined;
}

export function listMembers(db: Queryable<Tables>, tenant: Tenant, filter: MemberFilter): Promise<MemberRow[]> {
  let query = db
    .selectFrom('members')
    .selectAll()
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment)
    .orderBy('id', 'desc')
    .limit(filter.limit);
  if (filter.startingAfter !== undefined) query = query.where('id', '<', filter.startingAfter);
  if (filter.email !== undefined) query = query.where(sql`lower(email)`, '=', sql`lower(${filter.email})`);
  if (filter.externalId !== undefined) query = query.where('external_id', '=', filter.externalId);
  if (filter.active !== undefined) query = query.where('active', '=', filter.active);
  return query.execute();
}

/** Two at most: a second is only there to be told of. */
export function findActiveByEmail(db: Queryable<Tables>, tenant: Tenant, email: string): Promise<MemberRow[]> {
  return db
    .selectFrom('members')
    .selectAll()
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment)
    .where(sql`lower(email)`, '=', sql`lower(${email})`)
    .where('active', '=', true)
    .orderBy('id')
    .limit(2)
    .execute();
}

export async function findMember(db: Queryable<Tables>, tenant: Tenant, id: string): Promise<MemberRow | null> {
  const row = await db
    .selectFrom('members')
    .selectAll()
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .executeTakeFirst();
  return row ?? null;
}

/** An active owner other than this one. */
export async function findAnotherOwner(db: Queryable<Tables>, tenant: Tenant, id: string): Promise<string | null> {
  const row = await db
    .selectFrom('members')
    .select('id')
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment)
    .where('role', '=', 'owner')
    .where('active', '=', true)
    .where('id', '!=', id)
    .limit(1)
    .executeTakeFirst();
  return row?.id ?? null;
}

/** Members that are added at once, and as many to a statement as it takes parameters for. */
const ROWS_AT_ONCE = 1000;

/** Throws when an external id is taken. */
export async function insertMembers(db: Queryable<Tables>, rows: readonly MemberRow[]): Promise<void> {
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    await db
      .insertInto('members')
      .values(rows.slice(at, at + ROWS_AT_ONCE))
      .execute();
  }
}

/**
 * Many members as they are to be. As an insert that meets them: it goes by the key, row for row, while the plan of an update from
 * a list is a guess that compared each with each.
 */
export async function rewriteMembers(db: Queryable<Tables>, rows: readonly MemberRow[]): Promise<void> {
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    await db
      .insertInto('members')
      .values(rows.slice(at, at + ROWS_AT_ONCE))
      .onConflict((on) =>
        on.columns(['organization_id', 'id']).doUpdateSet(({ ref }) => ({
          first_name: ref('excluded.first_name'),
          last_name: ref('excluded.last_name'),
          email: ref('excluded.email'),
          phone: ref('excluded.phone'),
          title: ref('excluded.title'),
          lanes: ref('excluded.lanes'),
          role: ref('excluded.role'),
          external_id: ref('excluded.external_id'),
        })),
      )
      .execute();
  }
}
