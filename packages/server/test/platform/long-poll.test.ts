import { afterEach, expect, test } from 'vitest';
import { LongPoll, type WaitingClient, type Watched } from '../../src/platform/long-poll.ts';

const open: LongPoll[] = [];
const createLongPoll = () => {
  const longPoll = new LongPoll();
  open.push(longPoll);
  return longPoll;
};
afterEach(() => {
  for (const longPoll of open.splice(0)) longPoll.stop();
});

const client = (changes: Partial<WaitingClient> = {}): WaitingClient => ({
  isConnected: true,
  keyId: 'key_1',
  advise: () => undefined,
  onDisconnect: () => () => undefined,
  leaveFor: (waiting) => waiting,
  reauthenticate: async () => undefined,
  addWaitedMs: () => undefined,
  ...changes,
});

/** Numbers that count as changed once they are in `changed`. */
function watchNumbers() {
  const changed = new Set<number>();
  const queries: (readonly number[])[] = [];
  const watched: Watched<number> = {
    async findChanged(items) {
      queries.push(items);
      return items.flatMap((item, position) => (changed.has(item) ? [position] : []));
    },
  };
  const object = (item: number) => ({ read: async () => changed.has(item), changeOf: () => item });
  return { changed, queries, watched, object };
}

const wait = { seconds: 20, client: client() };

test('all waiting requests share one query, and only those whose object changed end', async () => {
  const longPoll = createLongPoll();
  const { changed, queries, watched, object } = watchNumbers();
  const ended: number[] = [];
  const requests = [1, 2, 3].map((item) =>
    longPoll.retrieve(watched, object(item), wait).then((changed) => changed && ended.push(item)),
  );
  await expect.poll(() => queries.at(-1)).toEqual([1, 2, 3]);
  changed.add(2);
  await requests[1];
  expect([ended, longPoll.waiting]).toEqual([[2], 2]);
  await expect.poll(() => queries.at(-1)).toEqual([1, 3]);
  changed.add(1).add(3);
  await Promise.all(requests);
  const { length } = queries;
  await new Promise((resolve) => setTimeout(resolve, 400));
  expect(queries.length).toBe(length);
});

test('a request beyond the limit of its key gets the current state with a hint; other keys still wait', async () => {
  const longPoll = createLongPoll();
  const { watched, object } = watchNumbers();
  const requests = Array.from({ length: 500 }, (_, n) => longPoll.retrieve(watched, object(n), wait));
  await expect.poll(() => longPoll.waiting).toBe(500);
  const hints: string[] = [];
  const advise = (hint: string) => hints.push(hint);
  expect(await longPoll.retrieve(watched, object(1), { ...wait, client: client({ advise }) })).toBe(false);
  expect(hints).toEqual([expect.stringContaining('Too many requests are waiting')]);
  const other = longPoll.retrieve(watched, object(1), { ...wait, client: client({ keyId: 'key_2', advise }) });
  await expect.poll(() => longPoll.waiting).toBe(501);
  longPoll.stop();
  await Promise.all([...requests, other]);
  expect(hints).toHaveLength(1);
  expect(longPoll.waiting).toBe(0);
});

test('a query that fails ends no wait, and the next one finds the change', async () => {
  const longPoll = createLongPoll();
  const { changed, watched, object } = watchNumbers();
  let failures = 3;
  const failing: Watched<number> = {
    async findChanged(items) {
      if (failures-- > 0) throw new Error('the database does not respond');
      return watched.findChanged(items);
    },
  };
  changed.add(1);
  const found = await longPoll.retrieve(failing, object(1), wait);
  expect([found, failures]).toEqual([true, -1]);
});

test('the object is read again only for a client that is still there and may see it', async () => {
  const longPoll = createLongPoll();
  const { watched } = watchNumbers();
  let reads = 0;
  const object = { read: async () => ++reads, changeOf: () => 1 };
  let disconnect: () => void = () => undefined;
  const leaving = client({
    onDisconnect: (listener) => {
      disconnect = listener;
      return () => undefined;
    },
  });
  const left = longPoll.retrieve(watched, object, { ...wait, client: leaving });
  await expect.poll(() => longPoll.waiting).toBe(1);
  disconnect();
  await left;
  await longPoll.retrieve(watched, object, { ...wait, client: client({ isConnected: false }) });
  const revoked = client({ reauthenticate: () => Promise.reject(new Error('revoked')) });
  const refused = longPoll.retrieve(watched, object, { ...wait, seconds: 0.01, client: revoked });
  await expect(refused).rejects.toThrow('revoked');
  expect(reads).toBe(3);
});
