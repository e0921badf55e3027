import { type SqlBool, sql } from 'kysely';
import type { Queryable } from '../platform/db.ts';
import type { MemberRow, Tables, Tenant } from '../tables.ts';

export interface DirectoryFilter {
  /** As somebody typed it. */
  readonly q: string | undefined;
  readonly active: boolean | undefined;
  readonly lane: 'retail' | 'insurance' | undefined;
  readonly role: MemberRow['role'] | undefined;
  readonly sharesEmail: boolean;
}

export type DirectoryRow = MemberRow & { readonly shares_email: boolean };

const MAX_WORDS = 6;
const FEWEST_DIGITS = 3;
const escaped = (text: string): string => text.replaceAll(/[\\%_]/g, String.raw`\$&`);

const HAYSTACK = sql`lower(concat_ws(' ', m.first_name, m.last_name, m.email, m.title, m.external_id))`;

/** Every word stands somewhere; what looks like a number may be part of the phone number, however that was written. */
function matches(q: string) {
  const words = q.trim().split(/\s+/).slice(0, MAX_WORDS);
  const inWords = sql.join(
    words.map((word) => sql`${HAYSTACK} like lower(${`%${escaped(word)}%`})`),
    sql` and `,
  );
  const digits = q.replaceAll(/\D/g, '');
  if (digits.length < FEWEST_DIGITS || !/^[\d\s().+\-/]+$/.test(q)) return sql<SqlBool>`(${inWords})`;
  return sql<SqlBool>`((${inWords}) or m.phone like ${`%${digits}%`})`;
}

const SHARES_EMAIL = sql<boolean>`(m.active and exists (
  select from members x where lower(x.email) = lower(m.email) and x.organization_id = m.organization_id
  and x.environment = m.environment and x.active and x.id <> m.id))`;

const NAME_ORDER = sql`lower(m.first_name), lower(m.last_name), m.id`;

function filtered(db: Queryable<Tables>, tenant: Tenant, filter: DirectoryFilter) {
  let query = db
    .selectFrom('members as m')
    .where('m.organization_id', '=', tenant.organizationId)
    .where('m.environment', '=', tenant.environment);
  if (filter.active !== undefined) query = query.where('m.active', '=', filter.active);
  if (filter.role !== undefined) query = query.where('m.role', '=', filter.role);
  // Without lanes of their own, members have all.
  if (filter.lane !== undefined) {
    query = query.where(sql<SqlBool>`(${filter.lane} = any(m.lanes) or cardinality(m.lanes) = 0)`);
  }
  if (filter.q !== undefined && filter.q.trim() !== '') query = query.where(matches(filter.q));
  if (filter.sharesEmail) query = query.where(SHARES_EMAIL);
  return query;
}

/**
 * By name, and without an index for it: ten thousand rows of one organization are read and sorted in some milliseconds, while an
 * index led by the organization would look as good to a look-up by id as the key does, and be kept in its plan.
 */
export function searchDirectory(
  db: Queryable<Tables>,
  tenant: Tenant,
  filter: DirectoryFilter,
  page: { limit: number; after: string | undefined },
): Promise<DirectoryRow[]> {
  let query = filtered(db, tenant, filter)
    .selectAll('m')
    .select(SHARES_EMAIL.as('shares_email'))
    .orderBy(sql`lower(m.first_name)`)
    .orderBy(sql`lower(m.last_name)`)
    .orderBy('m.id')
    .limit(page.limit);
  if (page.after !== undefined) {
    query = query.where(
      sql<SqlBool>`(${NAME_ORDER}) > (select ${NAME_ORDER} from members m where m.organization_id = ${tenant.organizationId}
        and m.environment = ${tenant.environment} and m.id = ${page.after})`,
    );
  }
  return query.execute();
}

export async function countDirectory(db: Queryable<Tables>, tenant: Tenant, filter: DirectoryFilter): Promise<number> {
  const { n } = await filtered(db, tenant, filter).select(sql<number>`count(*)::int`.as('n')).executeTakeFirstOrThrow();
  return n;
}

/** How many active members share their address with another one. */
export async function countSharedEmails(db: Queryable<Tables>, tenant: Tenant): Promise<number> {
  const shared = db
    .selectFrom('members')
    .select(sql<number>`count(*)::int`.as('n'))
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment)
    .where('active', '=', true)
    .groupBy(sql`lower(email)`)
    .having(sql<SqlBool>`count(*) > 1`);
  const { n } = await db
    .selectFrom(shared.as('shared'))
    .select(sql<number>`coalesce(sum(shared.n), 0)::int`.as('n'))
    .executeTakeFirstOrThrow();
  return n;
}

export async function findInDirectory(
  db: Queryable<Tables>,
  tenant: Tenant,
  id: string,
): Promise<(DirectoryRow & { is_last_owner: boolean }) | null> {
  const row = await db
    .selectFrom('members as m')
    .selectAll('m')
    .select(SHARES_EMAIL.as('shares_email'))
    .select(
      sql<boolean>`(m.active and m.role = 'owner' and not exists (
        select from members x where x.organization_id = m.organization_id and x.environment = m.environment
        and x.active and x.role = 'owner' and x.id <> m.id))`.as('is_last_owner'),
    )
    .where('m.organization_id', '=', tenant.organizationId)
    .where('m.environment', '=', tenant.environment)
    .where('m.id', '=', id)
    .executeTakeFirst();
  return row ?? null;
}

/**
 * From here to the end of the transaction nobody else adds a member to the organization, or decides about its owners. Adding
 * needs the organization's row to stay as it is, so that holding this row holds everybody off, and no other organization.
 */
export async function lockTeam(db: Queryable<Tables>, tenant: Tenant): Promise<void> {
  await db.selectFrom('organizations').select('id').where('id', '=', tenant.organizationId).forUpdate().execute();
}

/** All of them, in the order of their creation, and nobody changes one until the transaction ends. */
export function lockMembers(db: Queryable<Tables>, tenant: Tenant): Promise<MemberRow[]> {
  return allMembers(db, tenant).forUpdate().execute();
}

const allMembers = (db: Queryable<Tables>, tenant: Tenant) =>
  db
    .selectFrom('members')
    .selectAll()
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment)
    .orderBy('id');

export const readMembers = (db: Queryable<Tables>, tenant: Tenant): Promise<MemberRow[]> =>
  allMembers(db, tenant).execute();
