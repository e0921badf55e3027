import { expect, test } from 'vitest';
import { createConcurrencyLimit } from '../../src/platform/fair-queue.ts';

test('a concurrency limit runs tasks in order, at most two at a time, and continues after one that fails', async () => {
  const limit = createConcurrencyLimit(2);
  const running = new Set<number>();
  const seen: string[] = [];
  const finish: (() => void)[] = [];
  const tasks = Array.from({ length: 5 }, (_, n) =>
    limit(async () => {
      running.add(n);
      seen.push([...running].join());
      await new Promise<void>((resolve) => finish.push(resolve));
      running.delete(n);
      if (n === 1) throw new Error('no picture');
    }),
  );
  const settled = Promise.allSettled(tasks);
  for (let n = 0; n < 5; n++) {
    await expect.poll(() => finish.length).toBeGreaterThan(n);
    finish[n]?.();
  }
  expect((await settled).map(({ status }) => status === 'rejected')).toEqual([false, true, false, false, false]);
  expect(seen).toEqual(['0', '0,1', '1,2', '2,3', '3,4']);
  expect(await limit(async () => 'free')).toBe('free');
});
