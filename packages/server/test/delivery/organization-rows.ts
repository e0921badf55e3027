import type { Tenant } from '../../src/db/tenancy.ts';
import { newId } from '../../src/platform/ids.ts';
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
  const industry = 'exterior_remodeling';
  await insert(database, 'organizations', { id: tenant.organizationId, name, industry, timezone, created_at: now });
  const memberId = await insertMember(database, tenant, { phone: '+13125550117', ...member }, now);
  return { tenant, memberId };
}

export async function insertMember(
  database: TestDatabase,
  { organizationId, environment }: Tenant,
  columns: Record<string, unknown>,
  now: Date,
): Promise<string> {
  const id = newId('mem', now);
  const defaults = { first_name: 'Ana', last_name: 'Ng', email: 'ana@acme.example', role: 'member', created_at: now };
  await insert(database, 'members', { organization_id: organizationId, environment, id, ...defaults, ...columns });
  return id;
}
