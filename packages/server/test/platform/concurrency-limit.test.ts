import { expect, test } from 'vitest';
import { createConcurrencyLimit } from '../../src/platform/fair-queue.ts';

test('a concurrency limit runs tasks in order, at most two at a time, and continues after one that fails', async () => {
  const limit = createConcurrencyLimit(2);
  const started: number[] = [];
  const finish: (() => void)[] = [];
  let running = 0;
  let maxRunning = 0;
  const tasks = Array.from({ length: 5 }, (_, n) =>
    limit(async () => {
      started.push(n);
      running += 1;
      maxRunning = Math.max(maxRunning, running);
      await new Promise<void>((resolve) => finish.push(resolve));
      running -= 1;
      if (n === 1) throw new Error('no picture');
      return n;
    }),
  );
  const settled = Promise.allSettled(tasks);
  for (let n = 0; n < 5; n++) {
    await expect.poll(() => finish.length).toBeGreaterThan(n);
    finish[n]?.();
  }
  const results = (await settled).map((result) => (result.status === 'fulfilled' ? result.value : 'failed'));
  expect(results).toEqual([0, 'failed', 2, 3, 4]);
  expect(started).toEqual([0, 1, 2, 3, 4]);
  expect(maxRunning).toBe(2);
  expect(await limit(async () => 'free')).toBe('free');
});
