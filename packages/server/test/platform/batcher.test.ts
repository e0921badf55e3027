import { describe, expect, test } from 'vitest';
import { Batcher } from '../../src/platform/batcher.ts';
import { sleep } from '../harness/index.ts';

function createBatcher(
  flush: (items: number[]) => Promise<(string | null)[]>,
  maxSize = 64,
  queueLimit?: { items: number; ms: number },
) {
  return new Batcher<number, string>({
    name: 'test',
    maxSize,
    maxConcurrent: 1,
    flush,
    isTransient: (error) => (error as Error).message === 'database is down',
    ...(queueLimit !== undefined && { queueLimit }),
  });
}

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);

describe('Batcher', () => {
  test('batches items added during a flush and returns each its own result', async () => {
    const sizes: number[] = [];
    const batcher = createBatcher(async (items) => {
      sizes.push(items.length);
      await sleep(10);
      return items.map((item) => `r${item}`);
    });
    const first = batcher.add(0);
    await sleep(2);
    const rest = numbers(40).map((i) => batcher.add(i + 1));
    expect(await Promise.all([first, ...rest])).toEqual(numbers(41).map((i) => `r${i}`));
    expect(sizes).toEqual([1, 40]);
  });

  test('never exceeds the maximum batch size', async () => {
    const sizes: number[] = [];
    const batcher = createBatcher(async (items) => {
      sizes.push(items.length);
      return items.map(String);
    }, 8);
    await Promise.all(numbers(30).map((i) => batcher.add(i)));
    expect(Math.max(...sizes)).toBe(8);
    expect(sizes.reduce((a, b) => a + b)).toBe(30);
  });

  test('rejects only the item at fault, not the rest of its batch', async () => {
    const batcher = createBatcher(async (items) => {
      if (items.includes(13)) throw new Error('a poisoned row');
      return items.map((item) => `r${item}`);
    });
    const results = await Promise.allSettled(numbers(20).map((i) => batcher.add(i)));
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(1);
    expect(results[13]?.status).toBe('rejected');
    expect(results[14]).toEqual({ status: 'fulfilled', value: 'r14' });
  });

  test('does not retry items one by one while the database is down', async () => {
    let flushes = 0;
    const batcher = createBatcher(async () => {
      flushes += 1;
      throw new Error('database is down');
    });
    const results = await Promise.allSettled(numbers(10).map((i) => batcher.add(i)));
    expect(results.every(({ status }) => status === 'rejected')).toBe(true);
    expect(flushes).toBe(1);
  });

  test('retries an item without a result, but not forever', async () => {
    let attempts = 0;
    const lucky = createBatcher(async (items) => items.map(() => (++attempts < 3 ? null : 'done')));
    expect(await lucky.add(1)).toBe('done');
    const never = createBatcher(async (items) => items.map(() => null));
    await expect(never.add(1)).rejects.toThrow('gave up after 20 attempts');
  });

  test('rejects items that waited too long or came too late, and writes none of them', async () => {
    const written: number[] = [];
    const [started, jam] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const flush = async (items: number[]) => {
      started.resolve();
      await jam.promise;
      written.push(...items);
      return items.map(String);
    };
    const batcher = createBatcher(flush, 1, { items: 3, ms: 50 });
    const first = batcher.add(0);
    await started.promise;
    // Still during the jam.
    const results = await Promise.allSettled(numbers(4).map((i) => batcher.add(i + 1)));
    jam.resolve();
    const overloaded = { status: 'rejected', reason: { code: 'service_unavailable', retryAfterS: 1 } };
    expect(results).toMatchObject(Array.from({ length: 4 }, () => overloaded));
    expect(await first).toBe('0');
    // Items that arrive after the jam are written as usual.
    expect(await batcher.add(9)).toBe('9');
    expect(written).toEqual([0, 9]);
  });

  test('drain resolves only after every added item has its result', async () => {
    let answered = 0;
    const batcher = createBatcher(async (items) => {
      await sleep(5);
      return items.map(String);
    });
    for (const i of numbers(5)) void batcher.add(i).then(() => (answered += 1));
    await batcher.drain();
    await sleep(0);
    expect(answered).toBe(5);
    expect(batcher.pending).toBe(0);
  });
});
