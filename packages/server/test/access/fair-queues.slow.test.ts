import pg from 'pg';
import { expect, test } from 'vitest';
import { anEvent } from '../acceptance/support/actions.ts';
import { forFile, openService } from '../harness/index.ts';

/** No worker, so that events stay accepted. Without limits of the rate, which do not turn fair sharing off. */
const fixture = await forFile(openService({ FOREWORD_ROLE: 'api', RATE_LIMIT: 'off' }));
const other = await fixture.newOrganization({ name: 'Other' });

const countBlocked = async () =>
  (
    await fixture.database.query<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
  )[0]?.n;

test('requests of one organization that hang leave connections to the others, and start once there is room', async () => {
  const lock = new pg.Client(fixture.database.url);
  await lock.connect();
  lock.on('error', () => undefined);
  await lock.query('begin; lock table webhook_endpoints in access exclusive mode');
  const hanging = Array.from({ length: 20 }, () => fixture.api.get('/v1/webhook_endpoints?limit=1'));
  await expect.poll(countBlocked, { interval: 20 }).toBe(8);
  expect((await other.api.get('/v1/touchpoints')).status).toBe(200);
  expect((await other.api.post('/v1/touchpoint-events', anEvent())).status).toBe(202);
  expect((await fixture.api.post('/v1/touchpoint-events', anEvent())).status).toBe(202);
  expect(await countBlocked()).toBeLessThanOrEqual(8);
  await lock.end();
  // 503 if this machine took longer than a statement may.
  for (const { status } of await Promise.all(hanging)) expect([200, 503]).toContain(status);
  expect((await fixture.api.get('/v1/webhook_endpoints?limit=1')).status).toBe(200);
});

test('requests that wait for a change leave their places to others', async () => {
  const { body: event } = await fixture.api.post('/v1/touchpoint-events', anEvent());
  const waiting = Array.from({ length: 30 }, () => fixture.api.get(`/v1/events/${event.id}?wait=2`));
  const countWaiting = async () => {
    const metrics = await (await fetch(`${fixture.service.url}/metrics`)).text();
    return Number(/^foreword_waiting_requests (\d+)$/m.exec(metrics)?.[1]);
  };
  await expect.poll(countWaiting, { interval: 20 }).toBe(30);
  expect((await fixture.api.get('/v1/touchpoints')).status).toBe(200);
  for (const { status } of await Promise.all(waiting)) expect(status).toBe(200);
});
