import { type DatabaseOptions, openDatabase } from '../../src/db/pools.ts';
import type { Tables, Tenant } from '../../src/db/tenancy.ts';
import { createOrganization, testTenant } from '../../src/organizations/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createTestDatabase } from '../harness/index.ts';

/** A pool of the service on a test database. */
export const openPool = (url: string, options: Partial<DatabaseOptions> = {}) =>
  openDatabase<Tables>({ connectionString: url }, { max: 3, name: 'test', onError: () => undefined, ...options });

/** A test database with a pool of the service. */
export async function openTestPool(options?: Partial<DatabaseOptions>) {
  const database = await createTestDatabase();
  const db = openPool(database.url, options);
  return {
    database,
    db,
    async newTenant(name = 'Acme'): Promise<Tenant> {
      const values = { name, industry: 'exterior_remodeling' as const, lanes: [], timezone: 'America/Chicago' };
      const { id } = await db.kysely.transaction().execute((tx) => createOrganization(tx, systemClock, values));
      return testTenant(id);
    },
    async close() {
      await db.close();
      await database.drop();
    },
  };
}
