import { expect, test } from 'vitest';
import { eventually, sendEvent, settled } from '../acceptance/support/actions.ts';
import { forFile, openService, sleep } from '../harness/index.ts';

const EVENTS = 5;
/** The pause before each batch of events while others have been waiting for more than four seconds. */
const PAUSE_MS = 100;
/** A node learns how long events have been waiting within this time. */
const NOTICED_WITHIN_MS = 400;

const fixture = await forFile(openService({ FOREWORD_ROLE: 'api' }));

async function sendSeveral(): Promise<number> {
  // Makes the node read the age of the oldest event.
  await sendEvent(fixture.api);
  await sleep(NOTICED_WITHIN_MS);
  const started = performance.now();
  for (let n = 0; n < EVENTS; n++) await sendEvent(fixture.api);
  return performance.now() - started;
}

test('while events wait for a minute, others are accepted more slowly, and at full speed once those are processed', async () => {
  const { id } = await sendEvent(fixture.api);
  await fixture.database.query("update touchpoint_events set created_at = now() - interval '1 minute'");
  await eventually(sendSeveral, (ms) => ms >= EVENTS * PAUSE_MS);
  await fixture.newNode({ FOREWORD_ROLE: 'worker' });
  expect((await settled(fixture.api, id)).status).toBe('processed');
  await eventually(
    () => fixture.database.query("select id from touchpoint_events where status = 'accepted'"),
    (waiting) => waiting.length === 0,
  );
  await eventually(sendSeveral, (ms) => ms < EVENTS * PAUSE_MS);
});
