import { DAY_MINUTES, type TouchpointFieldChange } from '@foreword/contract';
import type { Selectable } from 'kysely';
import type { Queryable } from '../../platform/db.ts';
import type { Tables, Tenant, TouchpointChangeTable } from '../../tables.ts';
import { acrossTenants, forTenant } from '../../tenancy.ts';

type StoredChange = Selectable<TouchpointChangeTable>;

/** A change with the name of its author. The names are null for a change made with an operator command. */
export type ChangeRow = Omit<StoredChange, 'fields'> & {
  readonly fields: TouchpointFieldChange[];
  readonly first_name: string | null;
  readonly last_name: string | null;
};

type StoredFieldChange = Omit<TouchpointFieldChange, 'field'> & {
  readonly field: TouchpointFieldChange['field'] | 'days_to_record';
};

/** Changes that a version before minutes_to_record stored are in days. */
const inMinutes = ({ field, before, after }: StoredFieldChange): TouchpointFieldChange =>
  field === 'days_to_record'
    ? { field: 'minutes_to_record', before: Number(before) * DAY_MINUTES, after: Number(after) * DAY_MINUTES }
    : { field, before, after };

const readChange = <R extends { readonly fields: StoredFieldChange[] }>(row: R) => ({
  ...row,
  fields: row.fields.map(inMinutes),
});

export async function insertChange(
  db: Queryable<Tables>,
  { fields, ...row }: Omit<StoredChange, 'fields'> & { fields: readonly TouchpointFieldChange[] },
): Promise<void> {
  await acrossTenants(db)
    .insertInto('touchpoint_changes')
    .values({ ...row, fields: JSON.stringify(fields) })
    .execute();
}

const withAuthors = (db: Queryable<Tables>, tenant: Tenant, touchpointId: string) =>
  forTenant(db, tenant)
    .selectFrom('touchpoint_changes', 'c')
    .leftJoin('members as m', (on) =>
      on.onRef('m.organization_id', '=', 'c.organization_id').onRef('m.id', '=', 'c.member_id'),
    )
    .selectAll('c')
    .select(['m.first_name', 'm.last_name'])
    .where('c.touchpoint_id', '=', touchpointId)
    .$narrowType<{ fields: StoredFieldChange[] }>();

/** Newest first. */
export async function listChanges(
  db: Queryable<Tables>,
  tenant: Tenant,
  touchpointId: string,
  page: { before: string | undefined; limit: number },
): Promise<ChangeRow[]> {
  let query = withAuthors(db, tenant, touchpointId).orderBy('c.id', 'desc').limit(page.limit);
  if (page.before !== undefined) query = query.where('c.id', '<', page.before);
  return (await query.execute()).map(readChange);
}

export async function findChange(
  db: Queryable<Tables>,
  tenant: Tenant,
  touchpointId: string,
  id: string,
): Promise<ChangeRow | null> {
  const row = await withAuthors(db, tenant, touchpointId).where('c.id', '=', id).executeTakeFirst();
  return row === undefined ? null : readChange(row);
}

export async function findLastChange(
  db: Queryable<Tables>,
  tenant: Tenant,
  touchpointId: string,
): Promise<ChangeRow | null> {
  const [last] = await listChanges(db, tenant, touchpointId, { before: undefined, limit: 1 });
  return last ?? null;
}
