import { CompiledQuery } from 'kysely';
import { planned } from '../../db/statements.ts';
import { acrossTenants, columnsOf, type Db, forTenant, type Tenant, tenantOf } from '../../db/tenancy.ts';
import { idBound } from '../../platform/ids.ts';
import type { LinkKind } from './tokens.ts';

interface NewLink {
  readonly tenant: Tenant;
  readonly introId: string;
  readonly kind: LinkKind;
  readonly hash: Buffer;
}

const INSERT_FIRST = planned(`
insert into links (organization_id, environment, intro_id, kind, hash)
select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bytea[])`);
/** An existing row is equal, or already belongs to the next member. */
const INSERT_LINKS = planned(`${INSERT_FIRST}\non conflict do nothing`);

/** `areFirst`: of intros that were created in this transaction. */
export async function insertLinks(db: Db, links: readonly NewLink[], { areFirst = false } = {}): Promise<void> {
  if (links.length === 0) return;
  const columns = [
    links.map(({ tenant }) => tenant.organizationId),
    links.map(({ tenant }) => tenant.environment),
    links.map(({ introId }) => introId),
    links.map(({ kind }) => kind),
    links.map(({ hash }) => hash),
  ];
  await acrossTenants(db).executeQuery(CompiledQuery.raw(areFirst ? INSERT_FIRST : INSERT_LINKS, columns));
}

/** Replaces the previous links, which stop working. */
export async function replaceLinks(db: Db, tenant: Tenant, links: readonly Omit<NewLink, 'tenant'>[]): Promise<void> {
  await forTenant(db, tenant)
    .insertInto('links')
    .values(links.map(({ introId, kind, hash }) => ({ ...columnsOf(tenant), intro_id: introId, kind, hash })))
    .onConflict((on) =>
      on.columns(['organization_id', 'intro_id', 'kind']).doUpdateSet(({ ref }) => ({ hash: ref('excluded.hash') })),
    )
    .execute();
}

/** Keeps the hashes of members' links that no longer work. */
export async function insertReplacedLinks(
  db: Db,
  tenant: Tenant,
  links: readonly (Pick<NewLink, 'introId' | 'hash'> & { readonly generation: number })[],
): Promise<void> {
  const rows = links.map(({ introId: intro_id, generation, hash }) => ({
    ...columnsOf(tenant),
    ...{ intro_id, generation, hash },
  }));
  await forTenant(db, tenant)
    .insertInto('replaced_links')
    .values(rows)
    .onConflict((on) => on.doNothing())
    .execute();
}

/** Across tenants, because the token determines the tenant. */
export async function findReplacedLink(
  db: Db,
  hash: Buffer,
): Promise<{ tenant: Tenant; introId: string; generation: number } | null> {
  const row = await acrossTenants(db)
    .selectFrom('replaced_links')
    .select(['organization_id', 'environment', 'intro_id', 'generation'])
    .where('hash', '=', hash)
    .executeTakeFirst();
  return row === undefined ? null : { tenant: tenantOf(row), introId: row.intro_id, generation: row.generation };
}

/** Counts live links of intros created before a time, up to a limit. Pages close at `sentAfter`. */
export async function countLiveLinks(
  db: Db,
  { createdBefore, sentAfter, limit }: { createdBefore: Date; sentAfter: Date; limit: number },
): Promise<number> {
  const live = acrossTenants(db)
    .selectFrom('links as l')
    .innerJoin('intros as i', (on) =>
      on.onRef('i.organization_id', '=', 'l.organization_id').onRef('i.id', '=', 'l.intro_id'),
    )
    .select('l.intro_id')
    .where('i.id', '<', idBound('int', createdBefore))
    .where((where) =>
      where.or([
        where('i.status', 'in', ['requested', 'ready']),
        where.and([where('i.status', '=', 'sent'), where('i.sent_at', '>', sentAfter)]),
      ]),
    )
    .limit(limit);
  return (await live.execute()).length;
}

/** Across tenants, because the token determines the tenant. */
export async function findLink(
  db: Db,
  kind: LinkKind,
  hash: Buffer,
): Promise<{ tenant: Tenant; introId: string } | null> {
  const row = await acrossTenants(db)
    .selectFrom('links')
    .select(['organization_id', 'environment', 'intro_id'])
    .where('hash', '=', hash)
    .where('kind', '=', kind)
    .executeTakeFirst();
  return row === undefined ? null : { tenant: tenantOf(row), introId: row.intro_id };
}
