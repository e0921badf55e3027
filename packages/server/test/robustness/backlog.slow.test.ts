import pg from 'pg';
import { expect, test } from 'vitest';
import { watchBacklog } from '../../src/events/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { eventually, sendEvent, settled } from '../acceptance/support/actions.ts';
import { forFile, openService } from '../harness/index.ts';

const EVENTS = 5;
const MAX_PAUSE_MS = 100;

const fixture = await forFile(openService({ FOREWORD_ROLE: 'api' }));
const pool = await forFile(Promise.resolve(new pg.Pool({ connectionString: fixture.database.url, max: 1 })), (opened) =>
  opened.end(),
);

async function sendSeveral(): Promise<number> {
  const started = performance.now();
  for (let n = 0; n < EVENTS; n++) await sendEvent(fixture.api);
  return performance.now() - started;
}

test('while events wait for a minute, others are accepted more slowly, and at full speed once those are processed', async () => {
  const backlog = watchBacklog({ pool, clock: systemClock });
  const { id } = await sendEvent(fixture.api);
  await fixture.database.query("update touchpoint_events set created_at = now() - interval '1 minute'");
  await expect.poll(() => backlog.acceptancePauseMs()).toBe(MAX_PAUSE_MS);
  await eventually(sendSeveral, (ms) => ms >= EVENTS * MAX_PAUSE_MS);
  await fixture.newNode({ FOREWORD_ROLE: 'worker' });
  expect((await settled(fixture.api, id)).status).toBe('processed');
  await expect.poll(() => backlog.acceptancePauseMs()).toBe(0);
});
