/** Folder: row types, the description of each table, and the scope of every query. */

import {
  type DeleteQueryBuilder,
  type DeleteResult,
  type InsertQueryBuilder,
  type InsertResult,
  type RawBuilder,
  type Selectable,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
  type Transaction,
  type UpdateQueryBuilder,
  type UpdateResult,
} from 'kysely';
import type pg from 'pg';
import type { Database as AnyDatabase, Queryable } from './pools.ts';
import type { AllTables, OfTenant } from './rows.ts';

/** The organization and environment that own an object: the scope of every query. */
export interface Tenant {
  readonly organizationId: string;
  readonly environment: 'test';
}

export const tenantOf = ({ organization_id: organizationId, environment }: Readonly<OfTenant>): Tenant => ({
  organizationId,
  environment,
});

export const columnsOf = ({ organizationId: organization_id, environment }: Tenant): OfTenant => ({
  organization_id,
  environment,
});

export interface ObjectOfTenant {
  readonly tenant: Tenant;
  readonly id: string;
}

/** Every table and view. */
export interface AllRelations extends AllTables {
  /** Messages that wait, and those whose outcome is known. */
  all_messages: Omit<AllTables['message_queue'], 'planned_channel' | 'claimed_at'> &
    Pick<AllTables['messages'], 'carrier_id' | 'error_code' | 'accepted_at' | 'settled_at'> & {
      status: 'scheduled' | 'sending' | AllTables['messages']['status'];
    };
}

/** A row of the table, as a select returns it. */
export type Row<Name extends keyof AllRelations> = Selectable<AllRelations[Name]>;

/** Tables whose rows belong to one organization. They are reached through `forTenant`. */
type TenantTable = {
  [Name in keyof AllRelations]: AllRelations[Name] extends OfTenant ? Name : never;
}[keyof AllRelations];

/** The tables a database handle knows. Those of an organization require its tenant. */
export type Tables = Omit<AllTables, TenantTable>;

export type Database = AnyDatabase<Tables>;
/** A database, or one transaction of it. */
export type Db = Queryable<Tables>;
export type Tx = Transaction<Tables>;

/** The tables with `table` under another name, as `from table as alias` makes it visible. */
type Aliased<T extends TenantTable, A extends string> = AllRelations & Record<A, AllRelations[T]>;

/** Statements on the rows of one tenant. Each starts with the tenant's condition, so it cannot be forgotten. */
interface TenantScope {
  // biome-ignore lint/complexity/noBannedTypes: Kysely's own type for "nothing selected yet".
  selectFrom<T extends TenantTable>(table: T): SelectQueryBuilder<AllRelations, T, {}>;
  selectFrom<T extends TenantTable, A extends string>(
    table: T,
    alias: A,
    // biome-ignore lint/complexity/noBannedTypes: as above.
  ): SelectQueryBuilder<Aliased<T, A>, A, {}>;
  updateTable<T extends TenantTable>(table: T): UpdateQueryBuilder<AllRelations, T, T, UpdateResult>;
  deleteFrom<T extends TenantTable>(table: T): DeleteQueryBuilder<AllRelations, T, DeleteResult>;
  /** The type of each row requires its tenant. */
  insertInto<T extends TenantTable>(table: T): InsertQueryBuilder<AllRelations, T, InsertResult>;
  /** The same condition, for a statement written with the `sql` tag. */
  owns(alias?: string): RawBuilder<SqlBool>;
}

/** The only way to reach the tables of a tenant: a database handle alone does not know them. */
export function forTenant(db: Db, { organizationId, environment }: Tenant): TenantScope {
  const all = acrossTenants(db);
  const owns = (alias?: string): RawBuilder<SqlBool> => {
    const column = (name: string) => sql.ref(alias === undefined ? name : `${alias}.${name}`);
    return sql`${column('organization_id')} = ${organizationId} and ${column('environment')} = ${environment}`;
  };
  // Kysely's types cannot express an arbitrary table, so the interface above declares the results.
  const scope = {
    selectFrom: (table: 'intros', alias?: string) =>
      all.selectFrom(alias === undefined ? table : (`${table} as ${alias}` as 'intros')).where(owns(alias ?? table)),
    updateTable: (table: 'intros') => all.updateTable(table).where(owns(table)),
    deleteFrom: (table: 'intros') => all.deleteFrom(table).where(owns(table)),
    insertInto: (table: 'intros') => all.insertInto(table),
    owns,
  };
  return scope as unknown as TenantScope;
}

/**
 * Until the transaction ends, others that lock the organization wait, so that together they do not exceed a limit. Objects that do
 * not exist yet have no row to lock. Foreign key checks do not wait.
 */
export async function lockOrganization(tx: Db, { organizationId }: Tenant): Promise<void> {
  await tx.selectFrom('organizations').select('id').where('id', '=', organizationId).forNoKeyUpdate().execute();
}

/** False while another transaction has the lock of this name. It ends with the transaction, also when its process is killed. */
export async function tryLock(tx: Tx, name: string): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) as locked`.execute(tx);
  return rows[0]?.locked === true;
}

/** Undoes what `work` wrote if it fails. The transaction can go on. */
export async function withSavepoint<Result>(tx: Tx, work: () => Promise<Result>): Promise<Result> {
  await sql`savepoint before_work`.execute(tx);
  try {
    return await work();
  } catch (err) {
    await sql`rollback to savepoint before_work`.execute(tx);
    throw err;
  }
}

/** For the statements that serve every organization at once: queues, sweeps, and the operator's commands. */
export const acrossTenants = (db: Db): Queryable<AllRelations> => db as unknown as Queryable<AllRelations>;

/** The keys of a batch of objects, whose tenants differ: an array for each column. */
export const keyColumns = (objects: readonly ObjectOfTenant[]) => [
  objects.map(({ tenant }) => tenant.organizationId),
  objects.map(({ tenant }) => tenant.environment),
  objects.map(({ id }) => id),
];

/** A hand-written statement of one tenant: `$1` is the organization, `$2` the environment, `values` follow from `$3`. */
export function queryForTenant<Row extends pg.QueryResultRow>(
  client: Pick<pg.Pool | pg.ClientBase, 'query'>,
  { organizationId, environment }: Tenant,
  statement: string,
  values: readonly unknown[] = [],
): Promise<pg.QueryResult<Row>> {
  return client.query<Row>(statement, [organizationId, environment, ...values]);
}
