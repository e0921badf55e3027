/** The SQL of webhooks. */

import { sql, type Updateable } from 'kysely';
import { type AllRelations, type Db, forTenant, type Row, type Tenant } from '../db/tenancy.ts';

export interface Page {
  readonly limit: number;
  readonly startingAfter: string | undefined;
}

const selectEndpoints = (db: Db, tenant: Tenant) => forTenant(db, tenant).selectFrom('webhook_endpoints').selectAll();

export async function findEndpoint(db: Db, tenant: Tenant, id: string): Promise<Row<'webhook_endpoints'> | null> {
  return (await selectEndpoints(db, tenant).where('id', '=', id).executeTakeFirst()) ?? null;
}

export function listEndpoints(db: Db, tenant: Tenant, page?: Page): Promise<Row<'webhook_endpoints'>[]> {
  let query = selectEndpoints(db, tenant).orderBy('id', 'desc');
  if (page !== undefined) query = query.limit(page.limit);
  if (page?.startingAfter !== undefined) query = query.where('id', '<', page.startingAfter);
  return query.execute();
}

/** Locks the organization until the transaction ends, so that concurrent requests cannot exceed the limit. */
export async function lockAndCountEndpoints(db: Db, tenant: Tenant): Promise<number> {
  await db
    .selectFrom('organizations')
    .select('id')
    .where('id', '=', tenant.organizationId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  const { n } = await forTenant(db, tenant)
    .selectFrom('webhook_endpoints')
    .select(sql<number>`count(*)::int`.as('n'))
    .executeTakeFirstOrThrow();
  return n;
}

export async function insertEndpoint(db: Db, row: Row<'webhook_endpoints'>): Promise<void> {
  const tenant: Tenant = { organizationId: row.organization_id, environment: row.environment };
  await forTenant(db, tenant).insertInto('webhook_endpoints').values(row).execute();
}

const updateEndpoints = (db: Db, tenant: Tenant, id: string) =>
  forTenant(db, tenant).updateTable('webhook_endpoints').where('id', '=', id);

/** Returns null if the endpoint does not exist. */
export async function updateEndpoint(
  db: Db,
  tenant: Tenant,
  id: string,
  change: Updateable<AllRelations['webhook_endpoints']>,
): Promise<Row<'webhook_endpoints'> | null> {
  if (Object.keys(change).length === 0) return findEndpoint(db, tenant, id);
  return (await updateEndpoints(db, tenant, id).set(change).returningAll().executeTakeFirst()) ?? null;
}

/** Sets a new secret and keeps the current one as the previous secret until `previousUntil`. */
export const rotateSecret = (db: Db, tenant: Tenant, id: string, secret: Buffer, previousUntil: Date) =>
  updateEndpoints(db, tenant, id)
    .set((eb) => ({ previous_secret: eb.ref('secret'), previous_secret_expires_at: previousUntil, secret }))
    .returningAll()
    .executeTakeFirst();

/** Disables the endpoint because of responses from `url`. Returns null if it was disabled, has succeeded or has a new URL. */
export async function disableEndpoint(
  db: Db,
  tenant: Tenant,
  { id, url }: { readonly id: string; readonly url: string },
  disabled: { reason: 'gone' } | { reason: 'failing'; since: Date },
): Promise<Row<'webhook_endpoints'> | null> {
  let query = updateEndpoints(db, tenant, id)
    .set({ active: false, disabled_reason: disabled.reason })
    .where('url', '=', url)
    .where('active', '=', true);
  if (disabled.reason === 'failing') query = query.where('failing_since', '<=', disabled.since);
  return (await query.returningAll().executeTakeFirst()) ?? null;
}

/** Keeps messages, attempts and settled deliveries until they are old enough to be deleted. */
export async function deleteEndpoint(db: Db, tenant: Tenant, id: string): Promise<boolean> {
  const scope = forTenant(db, tenant);
  // Endpoints are locked before their deliveries everywhere, which prevents deadlocks.
  const { numDeletedRows } = await scope.deleteFrom('webhook_endpoints').where('id', '=', id).executeTakeFirst();
  if (numDeletedRows === 0n) return false;
  await scope.deleteFrom('webhook_deliveries').where('endpoint_id', '=', id).where('due_at', 'is not', null).execute();
  return true;
}
