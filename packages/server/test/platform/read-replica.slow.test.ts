import { expect, inject, test, vi } from 'vitest';
import { openDatabase, openReadReplica } from '../../src/db/pools.ts';
import { createLogger } from '../../src/platform/log.ts';
import { createTestDatabase, forFile, startSilentProxy } from '../harness/index.ts';

// Two databases stand for the primary and the replica. A real replica that lags or dies is part of the cluster tests.
const [primary, replica] = [
  await forFile(createTestDatabase(), (opened) => opened.drop()),
  await forFile(createTestDatabase(), (opened) => opened.drop()),
];
const databases = { primary, replica };
const network = await forFile(startSilentProxy(inject('socketDir')));
const fallback = openDatabase({ connectionString: primary.url }, { max: 2, name: 'test', onError: () => undefined });
const nameOf = ({ url }: { url: string }) => new URL(url).pathname.slice(1);
const connection = { connectionString: network.url(nameOf(replica)) };
const warn = vi.fn();
const log = Object.assign(createLogger('silent'), { warn });
const { db: reports, isReplicaFailing } = openReadReplica(connection, { primary: fallback, max: 2, log });
await forFile(Promise.resolve(reports));

const source = async () => {
  const { rows } = await reports.pool.query<{ name: string }>('select current_database() as name');
  const [name] = rows.map((row) => row.name);
  return (['primary', 'replica'] as const).find((role) => nameOf(databases[role]) === name);
};

test('reports come from the replica, and from the primary while the replica does not respond', async () => {
  await expect.poll(source).toBe('replica');
  network.silenceAll();
  await expect.poll(source).toBe('primary');
  expect(await source()).toBe('primary');
  expect(isReplicaFailing()).toBe(true);
  network.restore();
  await expect.poll(source).toBe('replica');
});

test('Kysely uses the same connections', async () => {
  await expect.poll(source).toBe('replica');
  const row = await reports.kysely
    .selectNoFrom(({ fn }) => fn<string>('current_database', []).as('name'))
    .executeTakeFirst();
  expect(row?.name).toBe(nameOf(replica));
});

test('a replica that has never responded causes one warning', async () => {
  warn.mockClear();
  const nowhere = { connectionString: 'postgres://127.0.0.1:1/none' };
  const main = openDatabase({ connectionString: primary.url }, { max: 1, name: 'test', onError: () => undefined });
  const { db, isReplicaFailing: isFailing } = openReadReplica(nowhere, { primary: main, max: 1, log });
  expect(isFailing()).toBe(false);
  await expect.poll(isFailing).toBe(true);
  expect(warn.mock.calls.map(([, message]) => message)).toEqual([
    'reports use the primary: DATABASE_READ_URL lags or does not respond',
  ]);
  await db.close();
});
