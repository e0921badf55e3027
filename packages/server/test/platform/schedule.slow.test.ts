import { expect, test } from 'vitest';
import { every } from '../../src/platform/schedule.ts';
import { sleep } from '../harness/index.ts';

const log = { warn: () => undefined };
const HOUR_MS = 3_600_000;

test('a stop waits for the run in progress, which is told to end', async () => {
  let hasEnded = false;
  const schedule = every(HOUR_MS, 'test', log, async (stopping) => {
    while (!stopping.aborted) await sleep(10);
    await sleep(100);
    hasEnded = true;
  });
  await sleep(50);
  await schedule.stop();
  expect(hasEnded).toBe(true);
});

test('a stop does not wait for a run that hangs, for example on a silent S3', async () => {
  const schedule = every(HOUR_MS, 'test', log, () => new Promise(() => undefined));
  await sleep(50);
  expect(await Promise.race([schedule.stop().then(() => 'stopped'), sleep(6_000).then(() => 'waits')])).toBe('stopped');
});
