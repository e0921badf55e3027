import { sql } from 'kysely';
import { acrossTenants, type Tables, type Tenant } from '../db/tenancy.ts';
import type { Queryable } from '../platform/db.ts';

/** Objects that a command names by id alone. */
const TABLES = {
  evt: { table: 'touchpoint_events', noun: 'event' },
  int: { table: 'intros', noun: 'intro' },
  ers: { table: 'recipient_erasures', noun: 'erasure' },
  whk: { table: 'webhook_endpoints', noun: 'webhook endpoint' },
  lkd: { table: 'link_domains', noun: 'link domain' },
} as const;

export type ObjectKind = keyof typeof TABLES;

export const nounOf = (kind: ObjectKind): string => TABLES[kind].noun;

/** The organization that has the object. Starts at organizations, because ids alone have no index. */
export async function findTenantOf(db: Queryable<Tables>, kind: ObjectKind, id: string): Promise<Tenant | null> {
  const { rows } = await sql<{ organization_id: string; environment: 'test' }>`
    select t.organization_id, t.environment
    from organizations o join ${sql.table(TABLES[kind].table)} t on t.organization_id = o.id
    where t.id = ${id}`.execute(acrossTenants(db));
  const [found] = rows;
  return found === undefined ? null : { organizationId: found.organization_id, environment: found.environment };
}
