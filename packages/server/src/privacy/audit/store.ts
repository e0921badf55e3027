import type { AuditAction, AuditActor } from '@foreword/contract';
import { type Insertable, sql } from 'kysely';
import { type AllRelations, acrossTenants, type Db, forTenant, type Row, type Tenant } from '../../db/tenancy.ts';

/** A statement has at most 65,535 parameters, and an import may change thousands of members. */
const ROWS_PER_STATEMENT = 1_000;

export async function insertEntries(
  db: Db,
  tenant: Tenant,
  rows: readonly Insertable<AllRelations['audit_entries']>[],
): Promise<void> {
  for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT) {
    await forTenant(db, tenant)
      .insertInto('audit_entries')
      .values(rows.slice(at, at + ROWS_PER_STATEMENT))
      .execute();
  }
}

export interface EntryFilter {
  readonly actorId?: string | undefined;
  readonly actorType?: AuditActor | undefined;
  /** Null: all. */
  readonly actions: readonly AuditAction[] | null;
  /** The id of an object, a member, a key, a request or an entry. */
  readonly id?: string | undefined;
  readonly from?: Date | undefined;
  /** Excluded. */
  readonly until?: Date | undefined;
}

/** An entry with the current names of the actor and the objects. */
export interface EntryRow extends Row<'audit_entries'> {
  readonly actor_name: string | null;
  readonly object_name: string | null;
  readonly object_slug: string | null;
  readonly related_name: string | null;
}

const NAMES = {
  members: "first_name || ' ' || last_name",
  api_keys: 'name',
  touchpoints: 'name',
  webhook_endpoints: 'url',
  link_domains: 'host',
  intros: "concat_ws(' ', recipient_first_name, recipient_last_name)",
} as const;
const NAMED = Object.keys(NAMES) as (keyof typeof NAMES)[];

/** The value of the object that a column of the entry names. */
const lookUp = (value: string, table: string, column: string) => sql<string | null>`(
  select ${sql.raw(value)} from ${sql.table(table)} o
  where o.organization_id = e.organization_id and o.id = ${sql.ref(`e.${column}`)}
)`;

const nameIn = (table: keyof typeof NAMES, column: string) => lookUp(NAMES[table], table, column);

function selectEntries(db: Db, tenant: Tenant, filter: EntryFilter) {
  let query = forTenant(db, tenant).selectFrom('audit_entries', 'a');
  const { actorId, actorType, actions, id, from, until } = filter;
  if (actorId !== undefined) query = query.where('a.actor_id', '=', actorId);
  if (actorType !== undefined) query = query.where('a.actor_type', '=', actorType);
  if (actions !== null) query = query.where('a.action', '=', sql<AuditAction>`any(${actions}::text[])`);
  if (from !== undefined) query = query.where('a.at', '>=', from);
  if (until !== undefined) query = query.where('a.at', '<', until);
  if (id === undefined) return query;
  return query.where((eb) =>
    eb.or(
      (['id', 'object_id', 'actor_id', 'related_id', 'request_id'] as const).map((name) => eb(`a.${name}`, '=', id)),
    ),
  );
}

/** Reads the names of one page only: joining first would read those of the whole log. */
function withNames(db: Db, page: ReturnType<typeof pageOf>) {
  return acrossTenants(db)
    .selectFrom(page.as('e'))
    .selectAll('e')
    .select([
      sql<string | null>`coalesce(${nameIn('members', 'actor_id')}, ${nameIn('api_keys', 'actor_id')})`.as(
        'actor_name',
      ),
      sql<string | null>`coalesce(${sql.join(NAMED.map((table) => nameIn(table, 'object_id')))})`.as('object_name'),
      lookUp('slug', 'touchpoints', 'object_id').as('object_slug'),
      nameIn('members', 'related_id').as('related_name'),
    ]);
}

const pageOf = (entries: ReturnType<typeof selectEntries>, limit: number) => entries.selectAll('a').limit(limit);

const position = (tenant: Tenant, id: string) =>
  sql`(select c.at, c.id from audit_entries c where c.organization_id = ${tenant.organizationId} and c.id = ${id})`;

/** Newest first. `before` is the id of an entry. */
export async function listEntries(
  db: Db,
  tenant: Tenant,
  filter: EntryFilter,
  { before, limit }: { readonly before: string | undefined; readonly limit: number },
): Promise<EntryRow[]> {
  let entries = selectEntries(db, tenant, filter).orderBy('a.at', 'desc').orderBy('a.id', 'desc');
  if (before !== undefined) entries = entries.where(sql<boolean>`(a.at, a.id) < ${position(tenant, before)}`);
  return withNames(db, pageOf(entries, limit)).orderBy('e.at', 'desc').orderBy('e.id', 'desc').execute();
}

export async function findEntry(db: Db, tenant: Tenant, id: string): Promise<boolean> {
  const found = forTenant(db, tenant).selectFrom('audit_entries').select('id').where('id', '=', id);
  return (await found.executeTakeFirst()) !== undefined;
}

/** Read one page at a time, so that a slow download does not hold a connection. */
const EXPORT_PAGE = 1_000;

/** All entries that match, oldest first, as of the start of the export. */
export async function* readEntryPages(
  db: Db,
  tenant: Tenant,
  filter: EntryFilter,
): AsyncGenerator<readonly EntryRow[]> {
  const { until } = await db.selectNoFrom(sql<Date>`now()`.as('until')).executeTakeFirstOrThrow();
  let after: string | null = null;
  for (;;) {
    let entries = selectEntries(db, tenant, filter).where('a.at', '<=', until).orderBy('a.at').orderBy('a.id');
    if (after !== null) entries = entries.where(sql<boolean>`(a.at, a.id) > ${position(tenant, after)}`);
    const rows: EntryRow[] = await withNames(db, pageOf(entries, EXPORT_PAGE))
      .orderBy('e.at')
      .orderBy('e.id')
      .execute();
    if (rows.length > 0) yield rows;
    if (rows.length < EXPORT_PAGE) return;
    after = rows.at(-1)?.id ?? null;
  }
}

export async function findOldest(db: Db, tenant: Tenant): Promise<Date | null> {
  const row = await forTenant(db, tenant)
    .selectFrom('audit_entries')
    .select('at')
    .orderBy('at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return row?.at ?? null;
}

/** The only way to delete entries: see the migration. Returns their number. */
export async function removeBefore(db: Db, tenant: Tenant, before: Date): Promise<number> {
  const { organizationId, environment } = tenant;
  const { rows } = await sql<{ n: number }>`
    select remove_audit_entries(${organizationId}, ${environment}, ${before}) as n`.execute(db);
  return rows[0]?.n ?? 0;
}

/** How many entries are from before the time, up to `limit`. */
export async function countEntriesBefore(db: Db, tenant: Tenant, before: Date, limit: number): Promise<number> {
  const old = forTenant(db, tenant).selectFrom('audit_entries').select('id').where('at', '<', before).limit(limit);
  const counted = db.selectFrom(old.as('old')).select(sql<number>`count(*)::int`.as('n'));
  return (await counted.executeTakeFirstOrThrow()).n;
}
