/** Runs at most `maxConcurrent` tasks at a time. The rest wait and start in the order in which they were added. */
export function createConcurrencyLimit(maxConcurrent: number): <T>(task: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (task) => {
    if (running === maxConcurrent) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await task();
    } finally {
      // A waiting task takes over this slot, so `running` stays the same.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
