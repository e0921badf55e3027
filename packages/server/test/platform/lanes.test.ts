import { expect, it } from 'vitest';
import { createLanes } from '../../src/platform/lanes.ts';

it('runs so many at once, the others in the order in which they came, and those after a failure too', async () => {
  const inTurn = createLanes(2);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  let running = 0;
  let most = 0;
  const works = Array.from({ length: 5 }, (_, n) =>
    inTurn(async () => {
      begun.push(n);
      running += 1;
      most = Math.max(most, running);
      await new Promise<void>((resolve) => ends.push(resolve));
      running -= 1;
      if (n === 1) throw new Error('no picture');
      return n;
    }),
  );
  const settled = Promise.allSettled(works);
  for (let ended = 0; ended < 5; ended++) {
    await expect.poll(() => ends.length).toBeGreaterThan(ended);
    ends[ended]?.();
  }
  expect((await settled).map((one) => (one.status === 'fulfilled' ? one.value : 'failed'))).toEqual([
    0,
    'failed',
    2,
    3,
    4,
  ]);
  expect(begun).toEqual([0, 1, 2, 3, 4]);
  expect(most).toBe(2);
  expect(await inTurn(async () => 'free')).toBe('free');
});
