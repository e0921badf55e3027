import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabaseClock } from '../../src/platform/database-clock.ts';
import { createTestDatabase, sleep, type TestDatabase } from '../harness/index.ts';

/** More than the two measurements and the reading take, even on a busy machine. */
const TOLERANCE_MS = 250;

let database: TestDatabase;
let pool: pg.Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = new pg.Pool({ connectionString: database.url, max: 1 });
  pool.on('error', () => undefined);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** A database whose clock is ahead by `aheadMs`, behind a network that delays its responses by `delayMs`. */
function openFaultyDatabase() {
  const faults = { aheadMs: 0, delayMs: 0 };
  const query = async (text: string) => {
    const { rows } = await pool.query<{ ms: number }>(text);
    await sleep(faults.delayMs);
    return { rows: rows.map(({ ms }) => ({ ms: ms + faults.aheadMs })) };
  };
  return { faults, client: { query } as unknown as pg.Pool };
}

const offBy = (clock: { now(): Date }, aheadMs: number) => Math.abs(clock.now().getTime() - Date.now() - aheadMs);

test('the clock has the time of the database, follows a step of it, and warns about a difference of over two seconds', async () => {
  const { faults, client } = openFaultyDatabase();
  const clock = await openDatabaseClock(client);
  expect(offBy(clock, 0)).toBeLessThan(TOLERANCE_MS);
  expect(clock.warning()).toBeNull();
  faults.aheadMs = 90_000;
  await clock.measure();
  expect(offBy(clock, 90_000)).toBeLessThan(TOLERANCE_MS);
  expect(clock.warning()).toMatch(/^This machine's clock is (90\.[0-2]|89\.[89]) s behind the database's\.$/);
  faults.aheadMs = -90_000;
  await clock.measure();
  expect(clock.warning()).toMatch(/ s ahead of the database's\.$/);
});

test('a slow response does not move the clock', async () => {
  const { faults, client } = openFaultyDatabase();
  const clock = await openDatabaseClock(client);
  // Half of it is also more than the tolerance.
  faults.delayMs = 800;
  await clock.measure();
  expect(offBy(clock, 0)).toBeLessThan(TOLERANCE_MS);
});

test('the clock keeps going while the database is away', async () => {
  let isAway = false;
  const query = async (text: string) => {
    if (isAway) throw new Error('away');
    return pool.query(text);
  };
  const clock = await openDatabaseClock({ query } as unknown as pg.Pool);
  isAway = true;
  await expect(clock.measure()).rejects.toThrow('away');
  await sleep(100);
  expect(offBy(clock, 0)).toBeLessThan(TOLERANCE_MS);
});
