import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type Database, openDatabase } from '../../src/platform/db.ts';
import { createLogger } from '../../src/platform/log.ts';
import { openReadReplica } from '../../src/platform/read-replica.ts';
import { createTestDatabase, type SilentProxy, startSilentProxy, type TestDatabase } from '../harness/index.ts';

// Two databases stand for the primary and the replica. A real replica that lags or dies is part of `npm run test:cluster`.
const NOTICED = { timeout: 15_000, interval: 50 };

let databases: { primary: TestDatabase; replica: TestDatabase };
let network: SilentProxy;
let reports: Database<unknown>;

const source = async () => {
  const { rows } = await reports.pool.query<{ name: string }>('select current_database() as name');
  const [name] = rows.map((row) => row.name);
  return (['primary', 'replica'] as const).find((role) => new URL(databases[role].url).pathname === `/${name}`);
};

beforeAll(async () => {
  databases = { primary: await createTestDatabase(), replica: await createTestDatabase() };
  network = await startSilentProxy(inject('socketDir'));
  const primary = openDatabase(
    { connectionString: databases.primary.url },
    { max: 2, name: 'test', onError: () => undefined },
  );
  const name = new URL(databases.replica.url).pathname.slice(1);
  reports = openReadReplica({ connectionString: network.url(name) }, { primary, max: 2, log: createLogger('silent') });
});
afterAll(async () => {
  await reports?.close();
  await network?.close();
  await databases?.primary.drop();
  await databases?.replica.drop();
});

test('reports come from the replica, and from the primary while the replica does not respond', async () => {
  await expect.poll(source, NOTICED).toBe('replica');
  network.silenceAll();
  await expect.poll(source, NOTICED).toBe('primary');
  expect(await source()).toBe('primary');
  network.restore();
  await expect.poll(source, NOTICED).toBe('replica');
}, 60_000);

test('Kysely uses the same connections', async () => {
  await expect.poll(source, NOTICED).toBe('replica');
  const row = await reports.kysely
    .selectNoFrom(({ fn }) => fn<string>('current_database', []).as('name'))
    .executeTakeFirst();
  expect(row?.name).toBe(new URL(databases.replica.url).pathname.slice(1));
});
