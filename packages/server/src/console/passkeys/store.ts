import { sql } from 'kysely';
import { type Db, forTenant, type Row, type Tenant } from '../../db/tenancy.ts';

export type PasskeyRow = Row<'passkeys'>;
/** The purpose of a challenge: one for adding a passkey cannot be used to sign in. */
export type Purpose = 'add' | 'use';

interface Owner {
  readonly tenant: Tenant;
  readonly memberId: string;
}

interface OwnSession {
  readonly tenant: Tenant;
  readonly sessionId: string;
}

const ofMember = (db: Db, { tenant, memberId }: Owner) =>
  forTenant(db, tenant).selectFrom('passkeys').where('member_id', '=', memberId);

export const listPasskeys = (db: Db, owner: Owner): Promise<PasskeyRow[]> =>
  ofMember(db, owner).selectAll().orderBy('id').execute();

/** The active owners and managers without a passkey. */
export const listWithoutPasskey = (db: Db, tenant: Tenant) =>
  forTenant(db, tenant)
    .selectFrom('members', 'm')
    .select(['m.id', 'm.first_name', 'm.last_name'])
    .where('m.role', '!=', 'member')
    .where('m.active', '=', true)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('passkeys as p')
            .select('p.id')
            .whereRef('p.organization_id', '=', 'm.organization_id')
            .whereRef('p.member_id', '=', 'm.id'),
        ),
      ),
    )
    .orderBy('m.first_name')
    .orderBy('m.id')
    .execute();

/** Serializes changes of one member's passkeys, until the end of the transaction. */
export async function lockPasskeys(db: Db, { memberId }: Owner): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`passkeys ${memberId}`}, 0))`.execute(db);
}

export async function insertPasskey(db: Db, tenant: Tenant, row: PasskeyRow): Promise<void> {
  await forTenant(db, tenant).insertInto('passkeys').values(row).execute();
}

/** Null when it does not exist. */
export async function renamePasskey(
  db: Db,
  { tenant, memberId }: Owner,
  { id, name }: { id: string; name: string },
): Promise<PasskeyRow | null> {
  const row = await forTenant(db, tenant)
    .updateTable('passkeys')
    .set({ name })
    .where('member_id', '=', memberId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** Deletes one passkey, or all, and returns how many. */
export async function deletePasskeys(
  db: Db,
  { tenant, memberId }: Owner,
  which: { only: string } | 'all',
): Promise<number> {
  const all = forTenant(db, tenant).deleteFrom('passkeys').where('member_id', '=', memberId);
  const chosen = which === 'all' ? all : all.where('id', '=', which.only);
  return Number((await chosen.executeTakeFirstOrThrow()).numDeletedRows);
}

/** False when the passkey was used concurrently: two responses with one count would hide a copy. */
export async function recordPasskeyUse(
  db: Db,
  tenant: Tenant,
  { id, counter: before }: PasskeyRow,
  { counter, now }: { counter: number; now: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await forTenant(db, tenant)
    .updateTable('passkeys')
    .set({ counter: String(counter), last_used_at: now })
    .where('id', '=', id)
    .where('counter', '=', before)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

const session = (db: Db, { tenant, sessionId }: OwnSession) =>
  forTenant(db, tenant).updateTable('console_sessions').where('id', '=', sessionId);

/** Replaces the session's challenge, so that each session has at most one. */
export async function setChallenge(
  db: Db,
  own: OwnSession,
  { challenge, purpose, expiresAt }: { challenge: Buffer; purpose: Purpose; expiresAt: Date },
): Promise<void> {
  await session(db, own).set({ challenge, challenge_for: purpose, challenge_expires_at: expiresAt }).execute();
}

/** Removes the challenge: it works once, whatever the response. Null when there is none, or it has expired. */
export async function takeChallenge(
  db: Db,
  { tenant, sessionId }: OwnSession,
  purpose: Purpose,
  now: Date,
): Promise<Buffer | null> {
  // PostgreSQL 15 cannot return the old value of an update.
  const { rows } = await sql<{ challenge: Buffer }>`
update console_sessions s set challenge = null
from (
  select organization_id, id, challenge from console_sessions
  where ${forTenant(db, tenant).owns()} and id = ${sessionId} and challenge is not null
    and challenge_for = ${purpose} and challenge_expires_at > ${now}
  for update
) as before
where s.organization_id = before.organization_id and s.id = before.id
returning before.challenge`.execute(db);
  return rows[0]?.challenge ?? null;
}

/** Completes a sign-in. The new secret replaces the one that was known before the passkey was used. */
export async function completeSession(
  db: Db,
  own: OwnSession,
  { hash, now }: { hash: Buffer; now: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await session(db, own)
    .set({ second_factor_at: now, hash, previous_hash: null, previous_until: null, rotated_at: now })
    .where('ended_at', 'is', null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** The session in which the member just added a passkey. */
export async function confirmSession(db: Db, own: OwnSession, now: Date): Promise<void> {
  await session(db, own).set({ second_factor_at: now }).execute();
}

/** Without passkeys no session counts as confirmed, in case one is required later. */
export async function unconfirmSessions(db: Db, { tenant, memberId }: Owner): Promise<void> {
  await forTenant(db, tenant)
    .updateTable('console_sessions')
    .set({ second_factor_at: null })
    .where('member_id', '=', memberId)
    .execute();
}
