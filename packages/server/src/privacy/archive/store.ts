import { type RawBuilder, sql } from 'kysely';
import { type RecipientColumn, TABLES, type TableName } from '../../db/tables.ts';
import { type Db, forTenant, type Tenant, type Tx, tryLock } from '../../db/tenancy.ts';

/** Few enough that the largest rows fit into memory. */
const FETCH_ROWS = 200;

export interface ExportScope {
  readonly tenant: Tenant;
  /** In E.164. Null for the whole organization. */
  readonly phone: string | null;
}

/** The names and types of a table's columns, and its primary key. */
export interface TableShape {
  readonly columns: ReadonlyMap<string, string>;
  readonly key: readonly string[];
}

export async function readShapes(db: Db, tables: readonly TableName[]): Promise<ReadonlyMap<string, TableShape>> {
  const { rows } = await sql<{ name: string; columns: [string, string][]; key: string[] }>`
    select c.relname as name,
      json_agg(json_build_array(a.attname, format_type(a.atttypid, a.atttypmod)) order by a.attnum) as columns,
      (
        select json_agg(k.attname order by array_position(i.indkey::int2[], k.attnum))
        from pg_index i join pg_attribute k on k.attrelid = i.indrelid and k.attnum = any(i.indkey::int2[])
        where i.indrelid = c.oid and i.indisprimary
      ) as key
    from unnest(${[...tables]}::text[]) as wanted(name)
    join pg_class c on c.oid = to_regclass(wanted.name)
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    group by c.oid, c.relname`.execute(db);
  return new Map(rows.map(({ name, columns, key }) => [name, { columns: new Map(columns), key }]));
}

/** The last migration of the database, and its time. */
export async function readState(db: Db): Promise<{ schema: string; now: Date }> {
  const { rows } = await sql<{ schema: string; now: Date }>`
    select max(name) as schema, now() as now from migrations`.execute(db);
  if (rows[0] === undefined) throw new Error('the database has no migrations');
  return rows[0];
}

const owned = (alias: string, { tenant }: ExportScope) =>
  sql`${sql.ref(`${alias}.organization_id`)} = ${tenant.organizationId} and ${sql.ref(`${alias}.environment`)} = ${tenant.environment}`;

const introIds = (scope: ExportScope) =>
  sql`select i.id from intros i where ${owned('i', scope)} and i.recipient_phone collate "C" = ${scope.phone}`;

const hasNumber = (scope: ExportScope) => sql`e.request -> 'recipient' ->> 'phone' = ${scope.phone}`;

/** Events that created their intros, that failed, or that wait: others with the number are too many to read. */
const eventIds = (scope: ExportScope) => sql`
  select i.event_id from intros i where ${owned('i', scope)} and i.recipient_phone collate "C" = ${scope.phone}
  union all
  select e.id from touchpoint_events e where ${owned('e', scope)} and e.error_code is not null and ${hasNumber(scope)}
  union all
  select e.id from waiting_events w cross join unnest(w.event_ids) as one(id)
  join touchpoint_events e on e.organization_id = w.organization_id and e.id = one.id
  where ${owned('w', scope)} and ${hasNumber(scope)}`;

const objectIds = (scope: ExportScope) => sql`${introIds(scope)} union all ${eventIds(scope)}`;

/** Messages about the intros, and texts to the number before it was corrected. */
const messageIds = (scope: ExportScope) => sql`
  select m.id from all_messages m where m.intro_id in (${introIds(scope)})
  union all
  select m.id from messages m
  where ${owned('m', scope)} and m.address = ${scope.phone} and m.audience = 'recipient'
    and m.channel = 'text' and m.accepted_at is not null`;

/** Each is found by an index, because an organization may have millions of rows. */
const CONDITIONS: Record<RecipientColumn, (scope: ExportScope) => RawBuilder<unknown>> = {
  phone: ({ phone }) => sql`t.phone = ${phone}`,
  subject: ({ phone }) => sql`t.subject = ${phone}`,
  recipient_phone: ({ phone }) => sql`t.recipient_phone collate "C" = ${phone}`,
  intro_id: (scope) => sql`t.intro_id in (${introIds(scope)})`,
  object_id: (scope) => sql`t.object_id in (${objectIds(scope)})`,
  request: (scope) => sql`t.id in (${eventIds(scope)})`,
  address: (scope) => sql`t.id in (${messageIds(scope)})`,
};

function conditionOf(table: TableName, scope: ExportScope): RawBuilder<unknown> | null {
  if (table === 'organizations') return scope.phone === null ? sql`t.id = ${scope.tenant.organizationId}` : null;
  if (scope.phone === null) return owned('t', scope);
  const link = TABLES[table].recipient;
  if (link === undefined) return null;
  // Others have only hashes, and no index.
  const isStored = table === 'idempotency_keys' ? sql`and t.response is not null` : sql``;
  return sql`${owned('t', scope)} and ${CONDITIONS[link](scope)} ${isStored}`;
}

/** The rows of a table as JSON, in the order of the primary key. */
export async function* readRows(
  tx: Tx,
  table: TableName,
  { key, columns }: TableShape,
  scope: ExportScope,
): AsyncGenerator<string[]> {
  const condition = conditionOf(table, scope);
  if (condition === null) return;
  // Messages that wait are among the others.
  const source =
    table === 'messages'
      ? sql`(select ${sql.join([...columns.keys()].map((name) => sql.ref(name)))} from all_messages)`
      : sql.table(table);
  const order = sql.join(key.map((column) => sql.ref(`t.${column}`)));
  await sql`
    declare exported no scroll cursor for
    select row_to_json(t)::text as line from ${source} t where ${condition} order by ${order}`.execute(tx);
  for (;;) {
    const { rows } = await sql<{ line: string }>`fetch ${sql.lit(FETCH_ROWS)} from exported`.execute(tx);
    if (rows.length === 0) break;
    yield rows.map(({ line }) => line);
  }
  await sql`close exported`.execute(tx);
}

/** The rows and video bytes of an organization, for an estimate of its archive. */
export async function measure(db: Db, tenant: Tenant): Promise<{ intros: number; videos: number; bytes: number }> {
  const own = forTenant(db, tenant);
  const [intros, videos] = await Promise.all([
    own.selectFrom('intros').select(sql<number>`count(*)::int`.as('count')).executeTakeFirstOrThrow(),
    own
      .selectFrom('recordings')
      .select([sql<number>`count(*)::int`.as('count'), sql<number>`coalesce(sum(bytes), 0)::float8`.as('bytes')])
      .where('status', '=', 'ready')
      .where('deleted_at', 'is', null)
      .executeTakeFirstOrThrow(),
  ]);
  return { intros: intros.count, videos: videos.count, bytes: videos.bytes };
}

export async function organizationExists(db: Db, id: string): Promise<boolean> {
  return (await db.selectFrom('organizations').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;
}

/**
 * Only one import of an organization runs at a time. The lock lasts as long as the transaction, which is idle while files are
 * stored; it has no snapshot then.
 */
export async function lockImport(tx: Tx, organizationId: string): Promise<boolean> {
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
  return tryLock(tx, `import ${organizationId}`);
}

/** Keeps the connection from being closed as unused. */
export async function touchConnection(tx: Tx): Promise<void> {
  await sql`select 1`.execute(tx);
}

/** Inserts lines of one file. Entries of the audit log cannot be deleted, so those of a deleted organization may still exist. */
export async function insertRows(
  tx: Tx,
  table: TableName,
  { columns }: TableShape,
  lines: readonly string[],
  names: readonly string[],
): Promise<void> {
  const list = sql.join(names.map((name) => sql.ref(name)));
  const typed = sql.join(names.map((name) => sql`${sql.ref(name)} ${sql.raw(columns.get(name) ?? '')}`));
  const conflict = table === 'audit_entries' ? sql`on conflict do nothing` : sql``;
  await sql`
    insert into ${sql.table(table)} (${list})
    select ${list} from json_to_recordset(${`[${lines.join(',')}]`}::json) as r(${typed}) ${conflict}`.execute(tx);
}

/** Whether a link or key of the organization would also open something of another one, which only a forged archive has. */
export async function hasForeignSecrets(tx: Tx, organizationId: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (
      select from links l join links o on o.hash = l.hash and o.organization_id <> l.organization_id
      where l.organization_id = ${organizationId}
    ) or exists (
      select from replaced_links l join replaced_links o on o.hash = l.hash and o.organization_id <> l.organization_id
      where l.organization_id = ${organizationId}
    ) or exists (
      select from api_keys k join api_keys o on o.hash = k.hash and o.organization_id <> k.organization_id
      where k.organization_id = ${organizationId}
    ) as found`.execute(tx);
  return rows[0]?.found === true;
}
