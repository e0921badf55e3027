import type { Queryable } from '../platform/db.ts';
import type { LinkKind, Tables, Tenant } from '../tables.ts';
import { acrossTenants, forTenant } from '../tenancy.ts';

export interface NewLink {
  readonly tenant: Tenant;
  readonly introId: string;
  readonly kind: LinkKind;
  readonly hash: Buffer;
}

export async function insertLinks(db: Queryable<Tables>, links: readonly NewLink[]): Promise<void> {
  if (links.length === 0) return;
  await acrossTenants(db)
    .insertInto('links')
    .values(
      links.map(({ tenant, introId, kind, hash }) => ({
        organization_id: tenant.organizationId,
        environment: tenant.environment,
        intro_id: introId,
        kind,
        hash,
      })),
    )
    // An existing row is equal, or already belongs to the next member.
    .onConflict((on) => on.doNothing())
    .execute();
}

/** Replaces the previous link, which stops working. */
export async function replaceLink(db: Queryable<Tables>, { tenant, introId, kind, hash }: NewLink): Promise<void> {
  await forTenant(db, tenant)
    .insertInto('links')
    .values({
      organization_id: tenant.organizationId,
      environment: tenant.environment,
      intro_id: introId,
      kind,
      hash,
    })
    .onConflict((on) => on.columns(['organization_id', 'intro_id', 'kind']).doUpdateSet({ hash }))
    .execute();
}

/** Across tenants, because the token determines the tenant. */
export async function findLink(
  db: Queryable<Tables>,
  kind: LinkKind,
  hash: Buffer,
): Promise<{ tenant: Tenant; introId: string } | null> {
  const row = await acrossTenants(db)
    .selectFrom('links')
    .select(['organization_id', 'environment', 'intro_id'])
    .where('hash', '=', hash)
    .where('kind', '=', kind)
    .executeTakeFirst();
  if (row === undefined) return null;
  return {
    tenant: { organizationId: row.organization_id, environment: row.environment },
    introId: row.intro_id,
  };
}
