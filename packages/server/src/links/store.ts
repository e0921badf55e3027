import type { Queryable } from '../platform/db.ts';
import type { LinkKind, Tables, Tenant } from '../tables.ts';

export interface NewLink {
  readonly tenant: Tenant;
  readonly introId: string;
  readonly kind: LinkKind;
  readonly hash: Buffer;
}

export async function insertLinks(db: Queryable<Tables>, links: readonly NewLink[]): Promise<void> {
  if (links.length === 0) return;
  await db
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
    // Whoever came first wrote the same, or the one of the next member already.
    .onConflict((on) => on.doNothing())
    .execute();
}

/** In place of the one before, which opens nothing from then on. */
export async function replaceLink(db: Queryable<Tables>, { tenant, introId, kind, hash }: NewLink): Promise<void> {
  await db
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

export async function findLink(
  db: Queryable<Tables>,
  kind: LinkKind,
  hash: Buffer,
): Promise<{ tenant: Tenant; introId: string } | null> {
  const row = await db
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

/** False when the database was set up with another key, whose links this one cannot make. */
export async function confirmKey(db: Queryable<Tables>, fingerprint: Buffer): Promise<boolean> {
  await db
    .insertInto('server_key')
    .values({ fingerprint })
    .onConflict((on) => on.doNothing())
    .execute();
  const row = await db.selectFrom('server_key').select('fingerprint').executeTakeFirstOrThrow();
  return row.fingerprint.equals(fingerprint);
}
