import { newId } from '../../src/platform/ids.ts';
import type { Tenant } from '../../src/tables.ts';
import type { TestDatabase } from '../harness/index.ts';

/** Overrides the defaults. */
export interface NewOrganization {
  name?: string;
  timezone?: string;
  member?: { phone?: string | null; email?: string; notify_by?: 'text' | 'email' | 'both' };
}

export type Member = { tenant: Tenant; memberId: string };

async function insert(database: TestDatabase, table: string, row: Record<string, unknown>): Promise<void> {
  const names = Object.keys(row);
  const places = names.map((_, at) => `$${at + 1}`);
  await database.query(`insert into ${table} (${names}) values (${places})`, Object.values(row));
}

export async function insertOrganization(database: TestDatabase, options: NewOrganization, now: Date): Promise<Member> {
  const { name = 'Acme Roofing', timezone = 'America/Chicago', member } = options;
  const tenant: Tenant = { organizationId: newId('org', now), environment: 'test' };
  const memberId = newId('mem', now);
  const industry = 'exterior_remodeling';
  await insert(database, 'organizations', { id: tenant.organizationId, name, industry, timezone, created_at: now });
  const defaults = { first_name: 'Ana', last_name: 'Ng', email: 'ana@acme.example', phone: '+13125550117' };
  const owned = { organization_id: tenant.organizationId, environment: 'test', id: memberId };
  await insert(database, 'members', { ...owned, ...defaults, ...member, role: 'member', created_at: now });
  return { tenant, memberId };
}
