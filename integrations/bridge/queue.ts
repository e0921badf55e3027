/** Runs tasks with the same key one after another. Two webhooks about one record must not both cancel and send. */
export interface Queue {
  run<Result>(key: string, task: () => Promise<Result>): Promise<Result>;
}

export function createQueue(): Queue {
  const last = new Map<string, Promise<unknown>>();
  return {
    run(key, task) {
      const result = (last.get(key) ?? Promise.resolve()).then(task, task);
      const settled = result.then(
        () => undefined,
        () => undefined,
      );
      last.set(key, settled);
      settled.then(() => last.get(key) === settled && last.delete(key));
      return result;
    },
  };
}

/** Runs a task for each item, at most `limit` at the same time. Starts all of them even if one fails, then throws its error. */
export async function inParallel<Item>(
  limit: number,
  items: readonly Item[],
  task: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = [...items];
  const failures: unknown[] = [];
  const work = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      await task(item).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: limit }, work));
  if (failures.length > 0) throw failures[0];
}
