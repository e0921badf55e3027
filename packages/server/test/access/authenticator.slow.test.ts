import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Tenant } from '../../src/db/tenancy.ts';
import {
  type Authenticator,
  type Caller,
  changeKey,
  createAuthenticator,
  createKey,
  type KeyLimits,
  revokeKey,
} from '../../src/http/access/index.ts';
import { makeKey } from '../../src/http/access/rules.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { eventually } from '../acceptance/support/actions.ts';
import { openTestPool } from '../db/fixture.ts';
import { forFile, sleep } from '../harness/index.ts';

const { database, db, newTenant } = await forFile(openTestPool());
let statements = 0;
db.pool.on('acquire', () => {
  statements += 1;
});
const HOUR_MS = 3_600_000;
const untilConnected = () =>
  eventually(
    () =>
      database.query(
        "select 1 from pg_stat_activity where datname = current_database() and application_name = 'foreword listener' and query ~* '^(listen|select 1)'",
      ),
    { length: 1 },
    30_000,
  );
let now = systemClock;
let authenticator: Authenticator;
let key: string;
let keyId: string;
let tenant: Tenant;
beforeEach(async () => {
  tenant = await newTenant();
  const created = await createKey(db.kysely, systemClock, tenant, 'Test');
  key = created.key;
  keyId = created.row.id;
  now = systemClock;
  authenticator = createAuthenticator({ db, connection: { connectionString: database.url }, clock: () => now() });
  await untilConnected();
  // The listener empties the cache once it knows that it is connected.
  await sleep(200);
  statements = 0;
});
afterEach(() => authenticator.close());

const call = async (sent = key, ip = '192.0.2.1'): Promise<Caller> =>
  authenticator.authenticate(`Bearer ${sent}`, { ip });

const revoke = () => db.kysely.transaction().execute((tx) => revokeKey(tx, systemClock, tenant, keyId));

const change = (limits: Partial<KeyLimits>) =>
  db.kysely.transaction().execute(async (tx) => changeKey(tx, systemClock, tenant, keyId, limits));

const outcome = () =>
  call().then(
    () => 'accepted',
    ({ code }) => code,
  );
const untilRefused = () => expect.poll(outcome).toBe('unauthorized');
const disconnectListener = () =>
  database.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'foreword listener'",
  );

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

  test('is limited by address if it does not exist, but keys that worked continue to work there', async () => {
    await call();
    const codes: string[] = [];
    for (let i = 0; i < 100; i++) codes.push(await call(makeKey(undefined)).catch(({ code }) => code));
    expect(codes.slice(0, 30)).toEqual(Array(30).fill('unauthorized'));
    expect(codes.slice(-30)).toEqual(Array(30).fill('rate_limited'));
    expect(statements).toBeLessThan(50);
    await expect(call(makeKey(undefined))).rejects.toMatchObject({ status: 429, retryAfterS: expect.any(Number) });
    // Also when the cache has to read the key again.
    now = () => new Date(Date.now() + HOUR_MS);
    expect((await call()).keyId).toBe(keyId);
    await expect(call(makeKey(undefined), '192.0.2.2')).rejects.toMatchObject({ code: 'unauthorized' });
  });

  test('stops working when it is revoked on another node', async () => {
    await call();
    await revoke();
    await untilRefused();
  });

  test('stops working when it is revoked while the listener is disconnected', async () => {
    await call();
    await disconnectListener();
    await database.sql`update api_keys set revoked_at = now() where id = ${keyId}`;
    await untilRefused();
  });

  test('stops working even when the notification is lost', async () => {
    await call();
    await database.sql`update api_keys set revoked_at = now() where id = ${keyId}`;
    await untilRefused();
  });

  test('stops working when it is revoked after the listener has reconnected', async () => {
    await disconnectListener();
    await untilConnected();
    await call();
    await revoke();
    await untilRefused();
  });

  test('stops working at the moment it expires, although it is cached, and the error says when', async () => {
    const expiresAt = new Date(Date.now() + HOUR_MS);
    await change({ expires_at: expiresAt });
    now = () => new Date(expiresAt.getTime() - 1);
    // The notification of the change may empty the cache once more.
    const countStatements = async () => {
      statements = 0;
      await call();
      return statements;
    };
    await expect.poll(countStatements).toBe(0);
    now = () => expiresAt;
    await expect(call()).rejects.toMatchObject({
      code: 'unauthorized',
      message: expect.stringContaining(`expired at ${expiresAt.toISOString()}`),
    });
    expect(statements).toBe(0);
  });

  test('with allowed addresses works from those alone, IPv4 in IPv6 included, and the error names the address', async () => {
    await change({ allowed_ips: ['203.0.113.0/24', '2001:db8::/32', '198.51.100.7'] });
    for (const ip of ['203.0.113.9', '::ffff:203.0.113.9', '2001:db8:1::1', '198.51.100.7']) {
      expect((await call(key, ip)).keyId).toBe(keyId);
    }
    for (const ip of ['203.0.114.1', '::ffff:198.51.100.8', '2001:db9::1', 'unknown', '']) {
      await expect(call(key, ip)).rejects.toMatchObject({
        code: 'unauthorized',
        message: expect.stringContaining(`from ${ip}.`),
      });
    }
  });

  test('follows a change of its limits on another node', async () => {
    await call();
    await change({ allowed_ips: ['203.0.113.0/24'] });
    await untilRefused();
    await change({ allowed_ips: null, expires_at: new Date(Date.now() + 60_000) });
    await expect.poll(() => call()).toMatchObject({ keyId });
  });

  test('has its scope and permission, which change on every node', async () => {
    expect(await call()).toMatchObject({ scope: 'full', recording_links: false });
    await change({ recording_links: true });
    await expect.poll(() => call()).toMatchObject({ scope: 'full', recording_links: true });
    await change({ scope: 'events' });
    await expect.poll(() => call()).toMatchObject({ scope: 'events', recording_links: false });
  });

  test.each<[string, Partial<KeyLimits>]>([
    ['expires_at', { expires_at: new Date(0) }],
    ['allowed_ips', { allowed_ips: ['203.0.113.0/24', '10.0.0.0/33'] }],
    ['allowed_ips', { allowed_ips: ['0.0.0.0/0'] }],
    ['allowed_ips', { allowed_ips: ['crm.acme.example'] }],
    ['recording_links', { scope: 'read', recording_links: true }],
  ])('is not changed to an invalid limit: %s', async (field, limits) => {
    await expect(change(limits)).rejects.toMatchObject({ code: 'validation_failed', field });
    expect((await call()).keyId).toBe(keyId);
  });

  test('is never stored: the table contains only its hash and last four characters', async () => {
    const rows = await database.query<{ text: string }>('select k::text as text from api_keys k');
    expect(rows.length).toBeGreaterThan(0);
    for (const { text } of rows) expect(text).not.toContain(key.slice(8));
  });
});
