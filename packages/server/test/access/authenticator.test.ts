import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Authenticator, type Caller, createAuthenticator, createKey, revokeKey } from '../../src/access/index.ts';
import { createOrganization, testTenant } from '../../src/organizations/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { type Database, openDatabase } from '../../src/platform/db.ts';
import type { Tables } from '../../src/tables.ts';
import { createTestDatabase, sleep, type TestDatabase } from '../harness/index.ts';

let database: TestDatabase;
let db: Database<Tables>;
let authenticator: Authenticator;
let key: string;
let keyId: string;
let statements: number;

beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase<Tables>({ connectionString: database.url }, { max: 2, name: 'test', onError: () => undefined });
  db.pool.on('acquire', () => {
    statements += 1;
  });
});

afterAll(async () => {
  await db.close();
  await database.drop();
});

beforeEach(async () => {
  const organization = await db.kysely.transaction().execute((tx) =>
    createOrganization(tx, systemClock, {
      name: 'Acme',
      industry: 'real_estate',
      lanes: [],
      timezone: 'America/Chicago',
    }),
  );
  const created = await createKey(db.kysely, systemClock, testTenant(organization.id), 'Test');
  key = created.key;
  keyId = created.row.id;
  authenticator = createAuthenticator({ db, connection: { connectionString: database.url }, clock: systemClock });
  await sleep(200);
  statements = 0;
});

afterEach(() => authenticator.close());

const call = async (sent = key): Promise<Caller> => authenticator.authenticate(`Bearer ${sent}`);

const revoke = () => db.kysely.transaction().execute((tx) => revokeKey(tx, systemClock, keyId));

async function secondsUntilRefused(): Promise<number> {
  const since = performance.now();
  while (performance.now() - since < 10_000) {
    try {
      await call();
    } catch {
      return (performance.now() - since) / 1000;
    }
    await sleep(10);
  }
  throw new Error('a revoked key was still accepted after ten seconds');
}

describe('an API key', () => {
  test('is looked up once and then cached', async () => {
    for (let i = 0; i < 100; i++) expect((await call()).keyId).toBe(keyId);
    expect(statements).toBe(1);
  });

  test('with a typo is rejected without a database query', async () => {
    const typo = key.slice(0, 12) + (key[12] === 'A' ? 'B' : 'A') + key.slice(13);
    await expect(call(typo)).rejects.toMatchObject({ code: 'unauthorized' });
    expect(statements).toBe(0);
  });

  test('stops working within a second of being revoked on another node', async () => {
    await call();
    await revoke();
    expect(await secondsUntilRefused()).toBeLessThan(1);
  });

  test('stops working within a second when the listener is disconnected', async () => {
    await call();
    await database.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'foreword listener'",
    );
    await database.query('update api_keys set revoked_at = now() where id = $1', [keyId]);
    expect(await secondsUntilRefused()).toBeLessThan(1);
  });

  test('stops working within six seconds when the notification is lost', async () => {
    await call();
    await database.query('update api_keys set revoked_at = now() where id = $1', [keyId]);
    expect(await secondsUntilRefused()).toBeLessThan(6);
  });

  test('stops working within a second again after the listener has reconnected', async () => {
    await database.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'foreword listener'",
    );
    await sleep(2_500);
    await call();
    await revoke();
    expect(await secondsUntilRefused()).toBeLessThan(1);
  });

  test('is never stored: the table contains only its hash and last four characters', async () => {
    const rows = await database.query<{ text: string }>('select k::text as text from api_keys k');
    expect(rows.length).toBeGreaterThan(0);
    for (const { text } of rows) expect(text).not.toContain(key.slice(8));
  });
});
