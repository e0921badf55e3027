import type { Selectable, Transaction } from 'kysely';
import type { Database, Queryable } from '../../platform/db.ts';
import type { MemberRow, OwnerLetterTable, Tables, Tenant } from '../../tables.ts';

export type OwnerLetterRow = Selectable<OwnerLetterTable>;

export function findOwners(db: Queryable<Tables>, tenant: Tenant): Promise<Pick<MemberRow, 'first_name' | 'email'>[]> {
  return db
    .selectFrom('members')
    .select(['first_name', 'email'])
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment)
    .where('role', '=', 'owner')
    .where('active', '=', true)
    .orderBy('id')
    .execute();
}

export type NewOwnerLetter = Pick<OwnerLetterRow, 'id' | 'address' | 'subject' | 'body'>;

export async function insertLetters(
  tx: Transaction<Tables>,
  tenant: Tenant,
  letters: readonly NewOwnerLetter[],
  now: Date,
): Promise<void> {
  if (letters.length === 0) return;
  const { organizationId: organization_id, environment } = tenant;
  await tx
    .insertInto('owner_letters')
    .values(
      letters.map((letter) => ({
        organization_id,
        environment,
        ...letter,
        status: 'scheduled' as const,
        due_at: now,
        created_at: now,
      })),
    )
    .execute();
}

/** Of every organization. Several workers share them out by the rows they lock. */
const CLAIM = `
with due as materialized (
  select organization_id, id from owner_letters where status = 'scheduled' and due_at <= $1
  order by due_at limit $2 for update skip locked
)
update owner_letters l set status = 'sending', attempts = l.attempts + 1, claimed_at = $1
from due where l.organization_id = due.organization_id and l.id = due.id
returning l.*`;

export async function claimLetters({ pool }: Database<Tables>, now: Date, limit: number): Promise<OwnerLetterRow[]> {
  return (await pool.query<OwnerLetterRow>({ name: 'claim letters', text: CLAIM, values: [now, limit] })).rows;
}

/** Nothing is changed by a worker that has lost its claim. */
export async function settleLetter(
  db: Queryable<Tables>,
  row: OwnerLetterRow,
  change: Partial<Pick<OwnerLetterRow, 'status' | 'due_at' | 'carrier' | 'error_message' | 'settled_at'>>,
): Promise<void> {
  await db
    .updateTable('owner_letters')
    .set(change)
    .where('organization_id', '=', row.organization_id)
    .where('id', '=', row.id)
    .where('status', '=', 'sending')
    .where('attempts', '=', row.attempts)
    .execute();
}

/** Of workers that died with letters in hand. */
export async function takeOverLetters(db: Queryable<Tables>, now: Date, before: Date): Promise<void> {
  await db
    .updateTable('owner_letters')
    .set({ status: 'scheduled', due_at: now })
    .where('status', '=', 'sending')
    .where('claimed_at', '<', before)
    .execute();
}

/** For a person who looks: as many as a screen can show, newest first. */
const LISTED = 50;

export function listOwnerLetters(db: Queryable<Tables>, tenant: Tenant): Promise<OwnerLetterRow[]> {
  return db
    .selectFrom('owner_letters')
    .selectAll()
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment)
    .orderBy('id', 'desc')
    .limit(LISTED)
    .execute();
}
