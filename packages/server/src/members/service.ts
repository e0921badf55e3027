import { iso, type List, type ListMembersQuery, type Member } from '@foreword/contract';
import type { Database, Db, Row, Tenant } from '../db/tenancy.ts';
import type { Clock } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import { readPage } from '../platform/paging.ts';
import { recordChange } from '../privacy/audit/index.ts';
import { findMember, insertMember, listMembers as listRows } from './store.ts';

export function presentMember(row: Row<'members'>): Member {
  return {
    id: row.id,
    object: 'member',
    external_id: row.external_id,
    first_name: row.first_name,
    last_name: row.last_name,
    email: row.email,
    phone: row.phone,
    title: row.title,
    title_es: row.title_es,
    lanes: row.lanes,
    active: row.active,
    likeness_withdrawn_at: iso(row.likeness_withdrawn_at),
    environment: row.environment,
    created_at: row.created_at.toISOString(),
  };
}

export type NewTeamMember = Pick<Row<'members'>, 'first_name' | 'last_name' | 'email'> &
  Partial<Pick<Row<'members'>, 'phone' | 'title' | 'title_es' | 'lanes' | 'role' | 'external_id' | 'notify_by'>>;

/** External ids are unique in an organization, including deactivated members. */
export class ExternalIdTakenError extends Error {}

export function toRow(tenant: Tenant, member: NewTeamMember, now: Date): Row<'members'> {
  return {
    organization_id: tenant.organizationId,
    environment: tenant.environment,
    id: newId('mem', now),
    ...({ notify_by: 'text', role: 'member', lanes: [] } as const),
    ...{ phone: null, external_id: null, title: null, title_es: null },
    ...member,
    active: true,
    photo: null,
    words_per_minute: null,
    pages_replaced_at: null,
    likeness_withdrawn_at: null,
    weekly_summary_off_at: null,
    bounced_email: null,
    email_bounced_at: null,
    email_bounce_reason: null,
    email_confirmed_at: null,
    created_at: now,
  };
}

export async function createMember(
  db: Db,
  clock: Clock,
  tenant: Tenant,
  member: NewTeamMember,
): Promise<Row<'members'>> {
  const row = toRow(tenant, member, clock());
  if (!(await insertMember(db, row))) throw new ExternalIdTakenError();
  await recordChange(db, tenant, { action: 'member.added', object: row.id });
  return row;
}

export function listMembers(db: Database, tenant: Tenant, query: ListMembersQuery): Promise<List<Member>> {
  return readPage(query, {
    exists: async (id) => (await findMember(db.kysely, tenant, id)) !== null,
    rows: (page) =>
      listRows(db.kysely, tenant, { ...page, email: query.email, externalId: query.external_id, active: query.active }),
    present: presentMember,
  });
}

/** Newest first, without paging. */
export const listAllMembers = (db: Db, tenant: Tenant): Promise<Row<'members'>[]> => listRows(db, tenant);
