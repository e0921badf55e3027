/** The SQL of members. */

import { type Colleague, foldName, type Lane } from '@foreword/contract';
import { type Insertable, type SqlBool, sql } from 'kysely';
import {
  type AllRelations,
  acrossTenants,
  type Db,
  forTenant,
  lockOrganization,
  type Row,
  type Tenant,
  type Tx,
} from '../db/tenancy.ts';
import { IMPORTED_FIELDS } from './rules.ts';

/**
 * A lateral join that resolves the member selector of row `i`; `m.ids` lists at most two matching active members who may be
 * recorded. Null selectors cost one empty index lookup. The email branch checks for null itself: a plan cached while the
 * organization was small would otherwise scan all its members.
 */
export const RESOLVE_MEMBER = `
  left join lateral (
    select array_agg(found.id) as ids from (
      select id from members
      where organization_id = i.organization_id and id = i.member_id and environment = i.environment and active
        and likeness_withdrawn_at is null
      union all
      select id from members
      where organization_id = i.organization_id and environment = i.environment and external_id = i.member_external_id and active
        and likeness_withdrawn_at is null
      union all
      (select id from members
      where i.member_email is not null
        and organization_id = i.organization_id and lower(email) = lower(i.member_email) and environment = i.environment and active
        and likeness_withdrawn_at is null
      limit 2)
    ) found
  ) m on true`;

type NewRow = Insertable<AllRelations['members']>;

/** Null when another member of the organization has this external id. */
export async function insertMember(db: Db, row: NewRow): Promise<Row<'members'> | null> {
  const query = acrossTenants(db)
    .insertInto('members')
    .values(row)
    .onConflict((on) => on.columns(['organization_id', 'environment', 'external_id']).doNothing());
  return (await query.returningAll().executeTakeFirst()) ?? null;
}

export type MemberChange = Partial<Omit<Row<'members'>, 'organization_id' | 'environment' | 'id' | 'created_at'>>;

/** Null when the member does not exist, or a field no longer has its value in `was`. */
export async function updateMember(
  db: Db,
  tenant: Tenant,
  id: string,
  change: MemberChange,
  was: MemberChange = {},
): Promise<Row<'members'> | null> {
  let query = forTenant(db, tenant).updateTable('members').set(change).where('id', '=', id);
  for (const [field, value] of Object.entries(was) as [keyof MemberChange, MemberChange[keyof MemberChange]][]) {
    // Passed as one parameter: Kysely would expand the array of lanes.
    query = query.where(field, 'is not distinct from', sql`${value}` as never);
  }
  return (await query.returningAll().executeTakeFirst()) ?? null;
}

interface MemberFilter {
  limit?: number;
  startingAfter?: string | undefined;
  email?: string | undefined;
  externalId?: string | undefined;
  active?: boolean | undefined;
}

/** Newest first. Without a limit: all of them. */
export function listMembers(db: Db, tenant: Tenant, filter: MemberFilter = {}): Promise<Row<'members'>[]> {
  let query = forTenant(db, tenant)
    .selectFrom('members')
    .selectAll()
    .orderBy('id', 'desc')
    .limit(filter.limit ?? null);
  if (filter.startingAfter !== undefined) query = query.where('id', '<', filter.startingAfter);
  if (filter.email !== undefined) query = query.where(sql`lower(email)`, '=', sql`lower(${filter.email})`);
  if (filter.externalId !== undefined) query = query.where('external_id', '=', filter.externalId);
  if (filter.active !== undefined) query = query.where('active', '=', filter.active);
  return query.execute();
}

/** At most two: a second row only shows that the email is ambiguous. */
export function findActiveByEmail(db: Db, tenant: Tenant, email: string): Promise<Row<'members'>[]> {
  return forTenant(db, tenant)
    .selectFrom('members')
    .selectAll()
    .where(sql`lower(email)`, '=', sql`lower(${email})`)
    .where('active', '=', true)
    .orderBy('id')
    .limit(2)
    .execute();
}

export async function findMember(db: Db, tenant: Tenant, id: string): Promise<Row<'members'> | null> {
  const query = forTenant(db, tenant).selectFrom('members').selectAll().where('id', '=', id);
  return (await query.executeTakeFirst()) ?? null;
}

/** Others who change the photo wait until the transaction ends, so that each knows the one it replaces. */
export async function lockPhoto(tx: Tx, tenant: Tenant, id: string): Promise<string | null> {
  const query = forTenant(tx, tenant).selectFrom('members').select('photo').where('id', '=', id).forUpdate();
  return (await query.executeTakeFirst())?.photo ?? null;
}

/** Active or not. */
export async function findByExternalId(db: Db, tenant: Tenant, externalId: string): Promise<Row<'members'> | null> {
  const query = forTenant(db, tenant).selectFrom('members').selectAll().where('external_id', '=', externalId);
  return (await query.executeTakeFirst()) ?? null;
}

/** An active owner other than this member. */
export async function findAnotherOwner(db: Db, tenant: Tenant, id: string): Promise<string | null> {
  const row = await forTenant(db, tenant)
    .selectFrom('members')
    .select('id')
    .where('role', '=', 'owner')
    .where('active', '=', true)
    .where('id', '!=', id)
    .limit(1)
    .executeTakeFirst();
  return row?.id ?? null;
}

/**
 * Until the transaction ends, no other transaction can add a member to this organization or change its owners: they lock the
 * team, too.
 */
export const lockTeam = lockOrganization;

/** Keeps a statement below PostgreSQL's limit on parameters. */
const ROWS_PER_STATEMENT = 1000;

const allMembers = (db: Db, tenant: Tenant) => forTenant(db, tenant).selectFrom('members').selectAll().orderBy('id');

export const readMembers = (db: Db, tenant: Tenant): Promise<Row<'members'>[]> => allMembers(db, tenant).execute();

/** All members, oldest first, locked until the transaction ends. */
export const lockMembers = (db: Db, tenant: Tenant): Promise<Row<'members'>[]> =>
  allMembers(db, tenant).forUpdate().execute();

/** Throws when an external id is taken. */
export async function insertMembers(db: Db, rows: readonly NewRow[]): Promise<Row<'members'>[]> {
  const inserted: Row<'members'>[] = [];
  for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT) {
    const query = acrossTenants(db)
      .insertInto('members')
      .values(rows.slice(at, at + ROWS_PER_STATEMENT));
    inserted.push(...(await query.returningAll().execute()));
  }
  return inserted;
}

/**
 * Overwrites existing members. An insert with a conflict clause finds each row by its key; for an update that joins a
 * list, PostgreSQL may choose a plan that compares every pair of rows.
 */
export async function rewriteMembers(db: Db, rows: readonly Row<'members'>[]): Promise<void> {
  for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT) {
    await acrossTenants(db)
      .insertInto('members')
      .values(rows.slice(at, at + ROWS_PER_STATEMENT))
      .onConflict((on) =>
        on
          .columns(['organization_id', 'id'])
          .doUpdateSet(({ ref }) => Object.fromEntries(IMPORTED_FIELDS.map((name) => [name, ref(`excluded.${name}`)]))),
      )
      .execute();
  }
}

/** The list is searched in the browser, and a longer one is not an organization's team. */
const MAX_COLLEAGUES = 500;

/** The names of the other active members who may be recorded, sorted. */
export async function listColleagues(db: Db, tenant: Tenant, memberId: string): Promise<readonly Colleague[]> {
  const rows = await forTenant(db, tenant)
    .selectFrom('members')
    .select(['id', 'first_name', 'last_name'])
    .where('active', '=', true)
    .where('likeness_withdrawn_at', 'is', null)
    .where('id', '<>', memberId)
    .orderBy(sql`search_name(first_name)`)
    .orderBy(sql`search_name(last_name)`)
    .orderBy('id')
    .limit(MAX_COLLEAGUES)
    .execute();
  return rows.map(({ id, first_name, last_name }) => ({ id, name: `${first_name} ${last_name}` }));
}

/** When the member withdrew the consent to the use of their likeness; null if it was not withdrawn. Later withdrawals wait. */
export async function lockLikeness(db: Db, tenant: Tenant, id: string): Promise<Date | null> {
  const row = await forTenant(db, tenant)
    .selectFrom('members')
    .select('likeness_withdrawn_at')
    .where('id', '=', id)
    .forShare()
    .executeTakeFirst();
  return row?.likeness_withdrawn_at ?? null;
}

/** Returns false when it was withdrawn before. */
export async function endLikeness(db: Db, tenant: Tenant, id: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await forTenant(db, tenant)
    .updateTable('members')
    .set({ likeness_withdrawn_at: now })
    .where('id', '=', id)
    .where('likeness_withdrawn_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function restoreLikeness(db: Db, tenant: Tenant, id: string): Promise<void> {
  await forTenant(db, tenant)
    .updateTable('members')
    .set({ likeness_withdrawn_at: null })
    .where('id', '=', id)
    .where('likeness_withdrawn_at', 'is not', null)
    .execute();
}

/** Removes exactly this photo. */
export async function clearPhoto(db: Db, tenant: Tenant, id: string, photo: string): Promise<void> {
  await forTenant(db, tenant)
    .updateTable('members')
    .set({ photo: null })
    .where('id', '=', id)
    .where('photo', '=', photo)
    .execute();
}

interface Bounce {
  readonly address: string;
  readonly reason: string;
  /** When the email that bounced was sent. */
  readonly sentAt: Date;
}

/** Condition for members whose current address bounces. */
const EMAIL_BOUNCES = sql<boolean>`coalesce(bounced_email = lower(email), false)`;

/** Marks the members with this address. Repeated reports, and those of emails from before a confirmation, change nothing. */
export async function markBounced(
  tx: Tx,
  tenant: Tenant,
  { address, reason, sentAt }: Bounce,
  now: Date,
): Promise<void> {
  await forTenant(tx, tenant)
    .updateTable('members')
    .set({ bounced_email: address.toLowerCase(), email_bounced_at: now, email_bounce_reason: reason })
    .where(sql`lower(email)`, '=', address.toLowerCase())
    .where(sql<boolean>`not ${EMAIL_BOUNCES}`)
    .where((row) => row.or([row('email_confirmed_at', 'is', null), row('email_confirmed_at', '<', sentAt)]))
    .execute();
}

export async function isBounced(db: Db, tenant: Tenant, address: string): Promise<boolean> {
  const found = await forTenant(db, tenant)
    .selectFrom('members')
    .select('id')
    .where(sql`lower(email)`, '=', address.toLowerCase())
    .where(EMAIL_BOUNCES)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** Active members whose address bounces, the latest first. */
export const listBounced = (
  db: Db,
  tenant: Tenant,
  limit: number,
): Promise<Pick<Row<'members'>, 'id' | 'first_name' | 'last_name'>[]> =>
  forTenant(db, tenant)
    .selectFrom('members')
    .select(['id', 'first_name', 'last_name'])
    .where('active', '=', true)
    .where(EMAIL_BOUNCES)
    .orderBy('email_bounced_at', 'desc')
    .limit(limit)
    .execute();

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
  const matchesWord = (word: string) => {
    const inText = sql`${HAYSTACK} like lower(${`%${escaped(word)}%`})`;
    const name = foldName(word);
    // One letter is in most names.
    return name.length < 2 ? inText : sql`(${inText} or search_name(m.first_name || m.last_name) like ${`%${name}%`})`;
  };
  const inWords = sql.join(words.map(matchesWord), sql` and `);
  const digits = q.replaceAll(/\D/g, '');
  if (digits.length < MIN_PHONE_DIGITS || !/^[\d\s().+\-/]+$/.test(q)) return sql<SqlBool>`(${inWords})`;
  return sql<SqlBool>`((${inWords}) or m.phone like ${`%${digits}%`})`;
}

const SHARES_EMAIL = sql<boolean>`(m.active and exists (
  select from members x where lower(x.email) = lower(m.email) and x.organization_id = m.organization_id
  and x.environment = m.environment and x.active and x.id <> m.id))`;

/** Without accents and case: in the C locale, "Álvaro" would be sorted after "Zoe". */
const NAME_ORDER = sql`search_name(m.first_name), search_name(m.last_name), m.id`;

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
 * Sorts by name without an index: reading and sorting 10,000 rows takes some 20 ms, while an index that starts with
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
    .orderBy(sql`search_name(m.first_name)`)
    .orderBy(sql`search_name(m.last_name)`)
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
