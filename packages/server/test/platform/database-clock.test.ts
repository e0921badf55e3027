import type pg from 'pg';
import { expect, test } from 'vitest';
import { openDatabaseClock } from '../../src/db/clock.ts';
import { sleep } from '../harness/index.ts';

const HOUR_MS = 3_600_000;

/** A database whose clock is ahead by `aheadMs`, behind a network that delays its responses by `delayMs`. */
function openFaultyDatabase() {
  const faults = { aheadMs: 0, delayMs: 0, isAway: false };
  const query = async () => {
    if (faults.isAway) throw new Error('away');
    const ms = Date.now() + faults.aheadMs;
    await sleep(faults.delayMs);
    return { rows: [{ ms }] };
  };
  return { faults, client: { query } as unknown as pg.Pool };
}

const hoursOff = (clock: { now(): Date }) => Math.round(Math.abs(clock.now().getTime() - Date.now()) / HOUR_MS);

test('the clock has the time of the database, follows a step of it, and warns about a difference of over two seconds', async () => {
  const { faults, client } = openFaultyDatabase();
  const clock = await openDatabaseClock(client);
  expect(hoursOff(clock)).toBe(0);
  expect(clock.warning()).toBeNull();
  faults.aheadMs = 25 * HOUR_MS;
  await clock.measure();
  expect(hoursOff(clock)).toBe(25);
  expect(clock.warning()).toMatch(/^This machine's clock is \d{5}\.\d s behind the database's\.$/);
  faults.aheadMs = -25 * HOUR_MS;
  await clock.measure();
  expect(clock.warning()).toMatch(/ s ahead of the database's\.$/);
});

test('a slow response does not move the clock', async () => {
  const { faults, client } = openFaultyDatabase();
  const clock = await openDatabaseClock(client);
  const before = clock.skewMs();
  faults.delayMs = 800;
  await clock.measure();
  // By half of the delay, if it were measured from the middle.
  expect(Math.abs(clock.skewMs() - before)).toBeLessThan(300);
});

test('the clock keeps going while the database is away', async () => {
  const { faults, client } = openFaultyDatabase();
  const clock = await openDatabaseClock(client);
  faults.isAway = true;
  await expect(clock.measure()).rejects.toThrow('away');
  const before = clock.now().getTime();
  await expect.poll(() => clock.now().getTime()).toBeGreaterThan(before);
  expect(hoursOff(clock)).toBe(0);
});
