import { sql } from 'kysely';
import { acrossTenants, type Db, type Row } from '../db/tenancy.ts';
import { findOrganization } from '../organizations/index.ts';

/** Objects that a command names by id alone. */
export const OBJECTS = {
  org: { table: null, noun: 'organization' },
  mem: { table: 'members', noun: 'member' },
  key: { table: 'api_keys', noun: 'API key' },
  evt: { table: 'touchpoint_events', noun: 'event' },
  int: { table: 'intros', noun: 'intro' },
  ers: { table: 'recipient_erasures', noun: 'erasure' },
  whk: { table: 'webhook_endpoints', noun: 'webhook endpoint' },
  lkd: { table: 'link_domains', noun: 'link domain' },
} as const;

export type ObjectKind = keyof typeof OBJECTS;

/** The organization that has the object. Starts at organizations, because ids alone have no index. */
export async function findOwner(db: Db, of: ObjectKind, id: string): Promise<Row<'organizations'> | null> {
  const { table } = OBJECTS[of];
  if (table === null) return findOrganization(db, id);
  const { rows } = await sql<Row<'organizations'>>`
    select o.* from organizations o join ${sql.table(table)} t on t.organization_id = o.id
    where t.id = ${id}`.execute(acrossTenants(db));
  return rows[0] ?? null;
}
