import { sql } from 'kysely';
import type { Queryable } from '../platform/db.ts';
import type { MemberRow, Tables, Tenant } from '../tables.ts';

export type Pace = Pick<MemberRow, 'id' | 'first_name' | 'last_name' | 'words_per_minute'>;

const active = (db: Queryable<Tables>, tenant: Tenant) =>
  db
    .selectFrom('members')
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment)
    .where('active', '=', true);

/** Active members who would take longest for the same words: the slowest first, of equals those of the longest names. */
export function listSlowest(
  db: Queryable<Tables>,
  tenant: Tenant,
  { usualPace, limit }: { usualPace: number; limit: number },
): Promise<Pace[]> {
  return active(db, tenant)
    .select(['id', 'first_name', 'last_name', 'words_per_minute'])
    .orderBy(sql`coalesce(words_per_minute, ${usualPace})`)
    .orderBy(sql`length(first_name || last_name)`, 'desc')
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** The active one whose name takes longest to say. */
export async function findLongestName(
  db: Queryable<Tables>,
  tenant: Tenant,
): Promise<Pick<Pace, 'first_name' | 'last_name'> | null> {
  const row = await active(db, tenant)
    .select(['first_name', 'last_name'])
    .orderBy(sql`array_length(regexp_split_to_array(btrim(first_name || ' ' || last_name), '\\s+'), 1)`, 'desc')
    .orderBy(sql`length(first_name || last_name)`, 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}
