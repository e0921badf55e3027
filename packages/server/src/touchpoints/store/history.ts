import type { TouchpointFieldChange } from '@foreword/contract';
import { acrossTenants, type Db, forTenant, type Row, type Tenant } from '../../db/tenancy.ts';

type StoredChange = Row<'touchpoint_changes'>;

/** A change with the name of its author. The names are null for a change made with an operator command. */
export type ChangeRow = Omit<StoredChange, 'fields'> & {
  readonly fields: TouchpointFieldChange[];
  readonly first_name: string | null;
  readonly last_name: string | null;
};

export async function insertChange(
  db: Db,
  { fields, ...row }: Omit<StoredChange, 'fields'> & { fields: readonly TouchpointFieldChange[] },
): Promise<void> {
  await acrossTenants(db)
    .insertInto('touchpoint_changes')
    .values({ ...row, fields: JSON.stringify(fields) })
    .execute();
}

const withAuthors = (db: Db, tenant: Tenant, touchpointId: string) =>
  forTenant(db, tenant)
    .selectFrom('touchpoint_changes', 'c')
    .leftJoin('members as m', (on) =>
      on.onRef('m.organization_id', '=', 'c.organization_id').onRef('m.id', '=', 'c.member_id'),
    )
    .selectAll('c')
    .select(['m.first_name', 'm.last_name'])
    .where('c.touchpoint_id', '=', touchpointId)
    .$narrowType<{ fields: TouchpointFieldChange[] }>();

/** Newest first. */
export async function listChanges(
  db: Db,
  tenant: Tenant,
  touchpointId: string,
  page: { before: string | undefined; limit: number },
): Promise<ChangeRow[]> {
  let query = withAuthors(db, tenant, touchpointId).orderBy('c.id', 'desc').limit(page.limit);
  if (page.before !== undefined) query = query.where('c.id', '<', page.before);
  return query.execute();
}

export async function findChange(db: Db, tenant: Tenant, touchpointId: string, id: string): Promise<ChangeRow | null> {
  const row = await withAuthors(db, tenant, touchpointId).where('c.id', '=', id).executeTakeFirst();
  return row ?? null;
}

export async function findLastChange(db: Db, tenant: Tenant, touchpointId: string): Promise<ChangeRow | null> {
  const [last] = await listChanges(db, tenant, touchpointId, { before: undefined, limit: 1 });
  return last ?? null;
}
