import { sql } from 'kysely';
import { type Db, forTenant, type Row, type Tenant, type Tx } from '../../db/tenancy.ts';

export interface Bounce {
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
