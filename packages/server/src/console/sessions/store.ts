import { type Selectable, sql } from 'kysely';
import type { Queryable } from '../../platform/db.ts';
import type { ConsoleSessionTable, MemberRow, OrganizationRow, SignInLinkTable, Tables, Tenant } from '../../tables.ts';
import { IDLE_LIFE_MS, WHOLE_LIFE_MS } from './rules.ts';

export type SignInLinkRow = Selectable<SignInLinkTable>;
export type SessionRow = Selectable<ConsoleSessionTable>;

const tenantOf = (row: { organization_id: string; environment: 'test' }): Tenant => ({
  organizationId: row.organization_id,
  environment: row.environment,
});

export type Invited = Pick<MemberRow, 'id' | 'first_name' | 'last_name' | 'email' | 'role'> & {
  tenant: Tenant;
  organization: Pick<OrganizationRow, 'name' | 'accent'>;
};

const invited = (db: Queryable<Tables>) =>
  db
    .selectFrom('members as m')
    .innerJoin('organizations as o', 'o.id', 'm.organization_id')
    .select(['m.organization_id', 'm.environment', 'm.id', 'm.first_name', 'm.last_name', 'm.email', 'm.role'])
    .select(['o.name', 'o.accent'])
    .where('m.active', '=', true);

type InvitedRow = Awaited<ReturnType<ReturnType<typeof invited>['execute']>>[number];

const toInvited = ({ organization_id, environment, name, accent, ...member }: InvitedRow): Invited => ({
  ...member,
  tenant: tenantOf({ organization_id, environment }),
  organization: { name, accent },
});

/** Whoever has this address, in every organization: nobody is signed in yet who could say which. */
export async function findByEmail(db: Queryable<Tables>, email: string, limit: number): Promise<Invited[]> {
  const rows = await invited(db)
    .where(sql`lower(m.email)`, '=', sql`lower(${email})`)
    .orderBy('m.organization_id')
    .orderBy('m.id')
    .limit(limit)
    .execute();
  return rows.map(toInvited);
}

export async function findInvited(db: Queryable<Tables>, tenant: Tenant, memberId: string): Promise<Invited | null> {
  const row = await invited(db)
    .where('m.organization_id', '=', tenant.organizationId)
    .where('m.environment', '=', tenant.environment)
    .where('m.id', '=', memberId)
    .executeTakeFirst();
  return row === undefined ? null : toInvited(row);
}

export async function insertLink(db: Queryable<Tables>, row: SignInLinkRow): Promise<void> {
  await db.insertInto('signin_links').values(row).execute();
}

/** To the end of the transaction: links for one member are made one after the other. */
export async function lockLinkRequests(db: Queryable<Tables>, memberId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`sign-in link ${memberId}`}, 0))`.execute(db);
}

export function countLinksSince(
  db: Queryable<Tables>,
  { tenant, id: memberId }: Pick<Invited, 'tenant' | 'id'>,
  from: Buffer,
  since: Date,
): Promise<{ all: number; fromThere: number }> {
  return db
    .selectFrom('signin_links')
    .select(sql<number>`count(*)::int`.as('all'))
    .select(sql<number>`count(*) filter (where asked_from = ${from})::int`.as('fromThere'))
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment)
    .where('member_id', '=', memberId)
    .where('browser_hash', 'is not', null)
    .where('created_at', '>', since)
    .executeTakeFirstOrThrow();
}

/** By the hash alone: the link is what tells the organization. */
export async function findLink(db: Queryable<Tables>, hash: Buffer, now: Date): Promise<SignInLinkRow | null> {
  const row = await db
    .selectFrom('signin_links')
    .selectAll()
    .where('hash', '=', hash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row ?? null;
}

/** False when somebody was quicker. */
export async function useLink(db: Queryable<Tables>, { organization_id, environment, id }: SignInLinkRow, now: Date) {
  const { numUpdatedRows } = await db
    .updateTable('signin_links')
    .set({ used_at: now })
    .where('organization_id', '=', organization_id)
    .where('environment', '=', environment)
    .where('id', '=', id)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

export async function insertSession(db: Queryable<Tables>, row: SessionRow): Promise<void> {
  await db.insertInto('console_sessions').values(row).execute();
}

const alive = (now: Date) => ({
  idleSince: new Date(now.getTime() - IDLE_LIFE_MS),
  bornSince: new Date(now.getTime() - WHOLE_LIFE_MS),
});

const sessionColumns = [
  's.organization_id',
  's.environment',
  's.id',
  's.member_id',
  's.created_at',
  's.rotated_at',
  's.seen_at',
  's.previous_hash',
  's.previous_until',
  'm.first_name',
  'm.last_name',
  'm.email',
  'm.role',
  'm.photo',
  'o.name as organization_name',
  'o.industry',
  'o.lanes as organization_lanes',
  'o.timezone',
  'o.logo',
] as const;

/** Of a member who was deactivated no session lives on. */
const withMember = (db: Queryable<Tables>) =>
  db
    .selectFrom('console_sessions as s')
    .innerJoin('members as m', (on) =>
      on.onRef('m.organization_id', '=', 's.organization_id').onRef('m.id', '=', 's.member_id'),
    )
    .innerJoin('organizations as o', 'o.id', 's.organization_id')
    .select(sessionColumns)
    .where('s.ended_at', 'is', null)
    .where('m.active', '=', true);

/** By the cookie's hash alone: the session is what tells the organization. */
export async function findSession(db: Queryable<Tables>, hash: Buffer, now: Date) {
  const { idleSince, bornSince } = alive(now);
  const bySession = (column: 's.hash' | 's.previous_hash') =>
    withMember(db).where(column, '=', hash).where('s.seen_at', '>', idleSince).where('s.created_at', '>', bornSince);
  const current = await bySession('s.hash').executeTakeFirst();
  if (current !== undefined) return { ...current, isPrevious: false };
  const previous = await bySession('s.previous_hash')
    .where((where) => where.or([where('s.previous_until', 'is', null), where('s.previous_until', '>', now)]))
    .executeTakeFirst();
  return previous === undefined ? null : { ...previous, isPrevious: true };
}

export type FoundSession = Awaited<ReturnType<ReturnType<typeof withMember>['execute']>>[number];

export async function findSessionOf(db: Queryable<Tables>, tenant: Tenant, id: string): Promise<FoundSession | null> {
  const row = await withMember(db)
    .where('s.organization_id', '=', tenant.organizationId)
    .where('s.environment', '=', tenant.environment)
    .where('s.id', '=', id)
    .executeTakeFirst();
  return row ?? null;
}

const one = (db: Queryable<Tables>, tenant: Tenant, id: string) =>
  db
    .updateTable('console_sessions')
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id);

export async function noteSeen(db: Queryable<Tables>, tenant: Tenant, id: string, now: Date): Promise<void> {
  await one(db, tenant, id).set({ seen_at: now }).execute();
}

/**
 * False when another request was quicker. The secret before works until the new one has come back once: the answer that brings
 * it may be lost, and then the browser knows no other.
 */
export async function rotate(
  db: Queryable<Tables>,
  tenant: Tenant,
  change: { id: string; from: Buffer; isPrevious: boolean; to: Buffer; now: Date },
): Promise<boolean> {
  const query = one(db, tenant, change.id).set({
    hash: change.to,
    previous_hash: change.from,
    previous_until: null,
    rotated_at: change.now,
  });
  const known = change.isPrevious
    ? query.where('previous_hash', '=', change.from).where('previous_until', 'is', null)
    : query.where('hash', '=', change.from);
  return (await known.executeTakeFirstOrThrow()).numUpdatedRows === 1n;
}

/** The browser has the new secret. */
export async function settleRotation(
  db: Queryable<Tables>,
  tenant: Tenant,
  change: { id: string; current: Buffer; previousUntil: Date },
): Promise<void> {
  await one(db, tenant, change.id)
    .set({ previous_until: change.previousUntil })
    .where('hash', '=', change.current)
    .where('previous_until', 'is', null)
    .execute();
}

export function listSessions(db: Queryable<Tables>, tenant: Tenant, memberId: string, now: Date) {
  const { idleSince, bornSince } = alive(now);
  return db
    .selectFrom('console_sessions')
    .select(['id', 'device', 'created_at', 'seen_at'])
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment)
    .where('member_id', '=', memberId)
    .where('ended_at', 'is', null)
    .where('seen_at', '>', idleSince)
    .where('created_at', '>', bornSince)
    .orderBy('seen_at', 'desc')
    .execute();
}

/** Of this member's sessions the one that is named, or all but the one that is named. Gives how many there were. */
export async function endSessions(
  db: Queryable<Tables>,
  tenant: Tenant,
  memberId: string,
  which: { only: string } | { allBut: string },
  now: Date,
): Promise<number> {
  const mine = db
    .updateTable('console_sessions')
    .set({ ended_at: now })
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment)
    .where('member_id', '=', memberId)
    .where('ended_at', 'is', null);
  const chosen = 'only' in which ? mine.where('id', '=', which.only) : mine.where('id', '!=', which.allBut);
  return Number((await chosen.executeTakeFirstOrThrow()).numUpdatedRows);
}

/**
 * Nothing that these members have opens the console any more: no session, and no link that still lies in a mailbox. Who is
 * deactivated gets in by none of it anyhow, but would again once they are back.
 */
export async function endAccess(
  db: Queryable<Tables>,
  tenant: Tenant,
  memberIds: readonly string[],
  now: Date,
): Promise<void> {
  if (memberIds.length === 0) return;
  await db
    .updateTable('console_sessions')
    .set({ ended_at: now })
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment)
    .where('member_id', 'in', memberIds)
    .where('ended_at', 'is', null)
    .execute();
  await db
    .updateTable('signin_links')
    .set({ used_at: now })
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment)
    .where('member_id', 'in', memberIds)
    .where('used_at', 'is', null)
    .execute();
}

/** What can open nothing any more. */
export async function deleteOld(db: Queryable<Tables>, now: Date): Promise<void> {
  const { idleSince } = alive(now);
  await db.deleteFrom('signin_links').where('expires_at', '<', idleSince).execute();
  await db.deleteFrom('console_sessions').where('seen_at', '<', idleSince).execute();
}
