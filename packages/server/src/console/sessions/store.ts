/** The SQL of sessions. */

import { sql } from 'kysely';
import { acrossTenants, type Db, forTenant, type Row, type Tenant, tenantOf } from '../../db/tenancy.ts';
import { IDLE_LIFE_MS, MAX_LIFE_MS, type SentLink } from './rules.ts';

export type SignInLinkRow = Row<'signin_links'>;
type SessionRow = Row<'console_sessions'>;

export type Invited = Pick<Row<'members'>, 'id' | 'first_name' | 'last_name' | 'email' | 'role'> & {
  tenant: Tenant;
  organization: Pick<Row<'organizations'>, 'name' | 'accent'>;
  /** Their own, or the organization's. */
  language: Row<'organizations'>['language'];
};

const invited = (db: Db) =>
  acrossTenants(db)
    .selectFrom('members as m')
    .innerJoin('organizations as o', 'o.id', 'm.organization_id')
    .select(['m.organization_id', 'm.environment', 'm.id', 'm.first_name', 'm.last_name', 'm.email', 'm.role'])
    .select(['o.name', 'o.accent'])
    .select(({ fn }) => fn.coalesce('m.language', 'o.language').as('language'))
    .where('m.active', '=', true);

type InvitedRow = Awaited<ReturnType<ReturnType<typeof invited>['execute']>>[number];

const toInvited = ({ organization_id, environment, name, accent, language, ...member }: InvitedRow): Invited => ({
  ...member,
  tenant: tenantOf({ organization_id, environment }),
  organization: { name, accent },
  language,
});

/** Searches every organization, because the organization is known only after signing in. */
export async function findByEmail(db: Db, email: string, limit: number): Promise<Invited[]> {
  const rows = await invited(db)
    .where(sql`lower(m.email)`, '=', sql`lower(${email})`)
    .orderBy('m.organization_id')
    .orderBy('m.id')
    .limit(limit)
    .execute();
  return rows.map(toInvited);
}

export async function findInvited(db: Db, tenant: Tenant, memberId: string): Promise<Invited | null> {
  const row = await invited(db).where(forTenant(db, tenant).owns('m')).where('m.id', '=', memberId).executeTakeFirst();
  return row === undefined ? null : toInvited(row);
}

export async function insertLink(db: Db, row: SignInLinkRow): Promise<void> {
  await forTenant(db, tenantOf(row)).insertInto('signin_links').values(row).execute();
}

/** Serializes link requests for one address, until the end of the transaction. */
export async function lockLinkRequests(db: Db, email: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('sign-in link ' || lower(${email}), 0))`.execute(db);
}

type Recipient = Pick<Invited, 'tenant' | 'id'>;

/** The links that were emailed to a member and not used. */
const unusedLinks = (db: Db, { tenant, id: memberId }: Recipient, since: Date) =>
  forTenant(db, tenant)
    .selectFrom('signin_links')
    .where('member_id', '=', memberId)
    .where('browser_hash', 'is not', null)
    .where('used_at', 'is', null)
    .where('created_at', '>', since);

export const listUnusedLinks = (db: Db, member: Recipient, since: Date): Promise<SentLink[]> =>
  unusedLinks(db, member, since).select(['member_id', 'requested_from', 'from_known_browser', 'created_at']).execute();

/** Whether this browser requested a link that was sent. */
export async function hasUnusedLink(db: Db, member: Recipient, browserHash: Buffer, since: Date): Promise<boolean> {
  const row = await unusedLinks(db, member, since)
    .select('id')
    .where('browser_hash', '=', browserHash)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Deletes a link whose email could not be sent. */
export async function deleteLink(db: Db, tenant: Tenant, hash: Buffer): Promise<void> {
  await forTenant(db, tenant).deleteFrom('signin_links').where('hash', '=', hash).execute();
}

/**
 * Searches every organization, because only the link determines which one it belongs to. Used and expired links are found until they
 * are deleted.
 */
export async function findLink(db: Db, hash: Buffer): Promise<SignInLinkRow | null> {
  const links = acrossTenants(db).selectFrom('signin_links').selectAll().where('hash', '=', hash);
  return (await links.executeTakeFirst()) ?? null;
}

/** False when the link was already used. */
export async function useLink(db: Db, link: SignInLinkRow, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await forTenant(db, tenantOf(link))
    .updateTable('signin_links')
    .set({ used_at: now })
    .where('id', '=', link.id)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

export async function insertSession(db: Db, row: SessionRow): Promise<void> {
  await forTenant(db, tenantOf(row)).insertInto('console_sessions').values(row).execute();
}

const validSince = (now: Date) => ({
  idleSince: new Date(now.getTime() - IDLE_LIFE_MS),
  createdSince: new Date(now.getTime() - MAX_LIFE_MS),
});

const sessionColumns = [
  's.organization_id',
  's.environment',
  's.id',
  's.member_id',
  's.created_at',
  's.rotated_at',
  's.seen_at',
  's.device',
  's.second_factor_at',
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
  'o.second_factor_from',
] as const;

/** Ignores sessions of deactivated members. */
const withMember = (db: Db) =>
  acrossTenants(db)
    .selectFrom('console_sessions as s')
    .innerJoin('members as m', (on) =>
      on.onRef('m.organization_id', '=', 's.organization_id').onRef('m.id', '=', 's.member_id'),
    )
    .innerJoin('organizations as o', 'o.id', 's.organization_id')
    .select(sessionColumns)
    .select((eb) =>
      eb
        .exists(
          eb
            .selectFrom('passkeys as p')
            .select('p.id')
            .whereRef('p.organization_id', '=', 's.organization_id')
            .whereRef('p.member_id', '=', 's.member_id'),
        )
        .$castTo<boolean>()
        .as('has_passkeys'),
    )
    .where('s.ended_at', 'is', null)
    .where('m.active', '=', true);

/** Searches every organization, because only the session determines which one it belongs to. */
export async function findSession(db: Db, hash: Buffer, now: Date) {
  const { idleSince, createdSince } = validSince(now);
  const bySession = (column: 's.hash' | 's.previous_hash') =>
    withMember(db).where(column, '=', hash).where('s.seen_at', '>', idleSince).where('s.created_at', '>', createdSince);
  const current = await bySession('s.hash').executeTakeFirst();
  if (current !== undefined) return { ...current, isPrevious: false };
  const previous = await bySession('s.previous_hash')
    .where((where) => where.or([where('s.previous_until', 'is', null), where('s.previous_until', '>', now)]))
    .executeTakeFirst();
  return previous === undefined ? null : { ...previous, isPrevious: true };
}

export type FoundSession = Awaited<ReturnType<ReturnType<typeof withMember>['execute']>>[number];

export async function findSessionOf(db: Db, tenant: Tenant, id: string): Promise<FoundSession | null> {
  const row = await withMember(db).where(forTenant(db, tenant).owns('s')).where('s.id', '=', id).executeTakeFirst();
  return row ?? null;
}

/** Those of the sessions that have not ended. */
export async function findLiveSessions(db: Db, tenant: Tenant, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const query = withMember(db)
    .clearSelect()
    .select('s.id')
    .where(forTenant(db, tenant).owns('s'))
    .where('s.id', 'in', ids);
  return new Set((await query.execute()).map(({ id }) => id));
}

const one = (db: Db, tenant: Tenant, id: string) =>
  forTenant(db, tenant).updateTable('console_sessions').where('id', '=', id);

export async function updateSeenAt(db: Db, tenant: Tenant, id: string, now: Date): Promise<void> {
  await one(db, tenant, id).set({ seen_at: now }).execute();
}

/**
 * False when another request rotated first. The previous secret stays valid until the browser has sent the new one, because
 * the response that carries it may be lost.
 */
export async function rotate(
  db: Db,
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

/** The browser has sent the new secret. */
export async function confirmRotation(
  db: Db,
  tenant: Tenant,
  change: { id: string; current: Buffer; previousUntil: Date },
): Promise<void> {
  await one(db, tenant, change.id)
    .set({ previous_until: change.previousUntil })
    .where('hash', '=', change.current)
    .where('previous_until', 'is', null)
    .execute();
}

export function listSessions(db: Db, tenant: Tenant, memberId: string, now: Date) {
  const { idleSince, createdSince } = validSince(now);
  return forTenant(db, tenant)
    .selectFrom('console_sessions')
    .select(['id', 'device', 'seen_at'])
    .where('member_id', '=', memberId)
    .where('ended_at', 'is', null)
    .where('seen_at', '>', idleSince)
    .where('created_at', '>', createdSince)
    .orderBy('seen_at', 'desc')
    .execute();
}

/** Deletes links and sessions that can no longer be used. */
export async function deleteOld(db: Db, now: Date): Promise<void> {
  const { idleSince } = validSince(now);
  await acrossTenants(db).deleteFrom('signin_links').where('expires_at', '<', idleSince).execute();
  await acrossTenants(db).deleteFrom('console_sessions').where('seen_at', '<', idleSince).execute();
}

/** Ends one session, or all but one, and returns how many ended. */
export async function endSessions(
  db: Db,
  tenant: Tenant,
  memberId: string,
  which: { only: string } | { allBut: string },
  now: Date,
): Promise<number> {
  const mine = forTenant(db, tenant)
    .updateTable('console_sessions')
    .set({ ended_at: now })
    .where('member_id', '=', memberId)
    .where('ended_at', 'is', null);
  const chosen = 'only' in which ? mine.where('id', '=', which.only) : mine.where('id', '!=', which.allBut);
  return Number((await chosen.executeTakeFirstOrThrow()).numUpdatedRows);
}

/**
 * Ends the members' sessions and invalidates their unused sign-in links. Deactivation alone blocks both, but they would work
 * again after a reactivation.
 */
export async function endAccess(db: Db, tenant: Tenant, memberIds: readonly string[], now: Date): Promise<void> {
  if (memberIds.length === 0) return;
  await forTenant(db, tenant)
    .updateTable('console_sessions')
    .set({ ended_at: now })
    .where('member_id', 'in', memberIds)
    .where('ended_at', 'is', null)
    .execute();
  await forTenant(db, tenant)
    .updateTable('signin_links')
    .set({ used_at: now })
    .where('member_id', 'in', memberIds)
    .where('used_at', 'is', null)
    .execute();
}
