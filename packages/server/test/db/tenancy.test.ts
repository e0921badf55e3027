import { expect, test } from 'vitest';
import { acrossTenants, forTenant, queryForTenant, type Tenant } from '../../src/db/tenancy.ts';
import { forFile } from '../harness/index.ts';
import { openTestPool } from './fixture.ts';

const { db, newTenant } = await forFile(openTestPool());
const [acme, other] = [await newTenant('Acme'), await newTenant('Other')];

const countTouchpoints = async (tenant: Tenant): Promise<number> =>
  (await forTenant(db.kysely, tenant).selectFrom('touchpoints').select('id').execute()).length;

test('a statement on a tenant table without the tenant does not compile', () => {
  const handle = db.kysely;
  // @ts-expect-error: a handle does not know the tables of an organization.
  handle.selectFrom('touchpoints');
  // @ts-expect-error: as above.
  handle.updateTable('members');
  // @ts-expect-error: as above.
  handle.deleteFrom('webhook_endpoints');
  // @ts-expect-error: as above.
  handle.insertInto('intros');
  // @ts-expect-error: the tenant is required.
  expect(() => forTenant(handle)).toThrow();
  expect(handle.selectFrom('organizations').select('id').compile().sql).toContain('"organizations"');
});

test('forTenant reads, changes and deletes only the rows of its tenant', async () => {
  const before = await countTouchpoints(other);
  expect(before).toBeGreaterThan(0);
  const renamed = await forTenant(db.kysely, acme)
    .updateTable('touchpoints')
    .set({ name: 'Renamed' })
    .executeTakeFirst();
  expect(Number(renamed.numUpdatedRows)).toBe(await countTouchpoints(acme));
  const foreign = await forTenant(db.kysely, other)
    .selectFrom('touchpoints', 't')
    .select('t.name')
    .where('t.name', '=', 'Renamed')
    .execute();
  expect(foreign).toEqual([]);
  await forTenant(db.kysely, acme).deleteFrom('touchpoints').execute();
  expect([await countTouchpoints(acme), await countTouchpoints(other)]).toEqual([0, before]);
});

test('queryForTenant passes organization and environment as the first two values', async () => {
  const { rows } = await queryForTenant<{ organization: string; environment: string; third: string }>(
    db.pool,
    acme,
    'select $1::text as organization, $2::text as environment, $3::text as third',
    ['x'],
  );
  expect(rows).toEqual([{ organization: acme.organizationId, environment: 'test', third: 'x' }]);
});

test('acrossTenants reads the rows of every tenant', async () => {
  const rows = await acrossTenants(db.kysely).selectFrom('touchpoints').select('organization_id').execute();
  expect(new Set(rows.map((row) => row.organization_id))).toContain(other.organizationId);
});
