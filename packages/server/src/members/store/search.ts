import type { Lane } from '@foreword/contract';
import { type SqlBool, sql } from 'kysely';
import { type Db, forTenant, type Row, type Tenant } from '../../db/tenancy.ts';

export interface DirectoryFilter {
  /** Free text, as the user typed it. */
  readonly q: string | undefined;
  readonly active: boolean | undefined;
  readonly lane: Lane | undefined;
  readonly role: Row<'members'>['role'] | undefined;
  readonly sharesEmail: boolean;
}

export type DirectoryRow = Row<'members'> & { readonly shares_email: boolean };

const MAX_WORDS = 6;
const MIN_PHONE_DIGITS = 3;
const escaped = (text: string): string => text.replaceAll(/[\\%_]/g, String.raw`\$&`);

const HAYSTACK = sql`lower(concat_ws(' ', m.first_name, m.last_name, m.email, m.title, m.external_id))`;

/** Every word must match. A query that looks like a phone number also matches phone numbers in any notation. */
function matches(q: string) {
  const words = q.trim().split(/\s+/).slice(0, MAX_WORDS);
  const inWords = sql.join(
    words.map((word) => sql`${HAYSTACK} like lower(${`%${escaped(word)}%`})`),
    sql` and `,
  );
  const digits = q.replaceAll(/\D/g, '');
  if (digits.length < MIN_PHONE_DIGITS || !/^[\d\s().+\-/]+$/.test(q)) return sql<SqlBool>`(${inWords})`;
  return sql<SqlBool>`((${inWords}) or m.phone like ${`%${digits}%`})`;
}

const SHARES_EMAIL = sql<boolean>`(m.active and exists (
  select from members x where lower(x.email) = lower(m.email) and x.organization_id = m.organization_id
  and x.environment = m.environment and x.active and x.id <> m.id))`;

const NAME_ORDER = sql`lower(m.first_name), lower(m.last_name), m.id`;

function filtered(db: Db, tenant: Tenant, filter: DirectoryFilter) {
  let query = forTenant(db, tenant).selectFrom('members', 'm');
  if (filter.active !== undefined) query = query.where('m.active', '=', filter.active);
  if (filter.role !== undefined) query = query.where('m.role', '=', filter.role);
  // Members without lanes work in all of them.
  if (filter.lane !== undefined) {
    query = query.where(sql<SqlBool>`(${filter.lane} = any(m.lanes) or cardinality(m.lanes) = 0)`);
  }
  if (filter.q !== undefined && filter.q.trim() !== '') query = query.where(matches(filter.q));
  if (filter.sharesEmail) query = query.where(SHARES_EMAIL);
  return query;
}

/**
 * Sorts by name without an index: reading and sorting 10,000 rows takes a few milliseconds, while an index that starts with
 * the organization would tempt the planner to use it for lookups by id.
 */
export function searchDirectory(
  db: Db,
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
      sql<SqlBool>`(${NAME_ORDER}) > (select ${NAME_ORDER} from members m
        where ${forTenant(db, tenant).owns('m')} and m.id = ${page.after})`,
    );
  }
  return query.execute();
}

export async function countDirectory(db: Db, tenant: Tenant, filter: DirectoryFilter): Promise<number> {
  const { n } = await filtered(db, tenant, filter).select(sql<number>`count(*)::int`.as('n')).executeTakeFirstOrThrow();
  return n;
}

export async function findInDirectory(
  db: Db,
  tenant: Tenant,
  id: string,
): Promise<(DirectoryRow & { is_last_owner: boolean }) | null> {
  const row = await forTenant(db, tenant)
    .selectFrom('members', 'm')
    .selectAll('m')
    .select(SHARES_EMAIL.as('shares_email'))
    .select(
      sql<boolean>`(m.active and m.role = 'owner' and not exists (
        select from members x where x.organization_id = m.organization_id and x.environment = m.environment
        and x.active and x.role = 'owner' and x.id <> m.id))`.as('is_last_owner'),
    )
    .where('m.id', '=', id)
    .executeTakeFirst();
  return row ?? null;
}
