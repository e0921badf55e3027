import { afterEach, expect, test, vi } from 'vitest';
import { Activity, type FairLimits, FairQueue, type QueuedClient, type Slot } from '../../src/platform/fair-queue.ts';

afterEach(() => vi.useRealTimers());

/** A request is named by its organization and a number: `a1`. */
function open(limits: FairLimits) {
  let nowMs = 0;
  const queue = new FairQueue(limits, new Activity(() => nowMs));
  const slots = new Map<string, Slot>();
  const disconnects = new Map<string, () => void>();
  const refused: string[] = [];
  const actions: Record<string, (name: string, cost: number) => void> = {
    sends(name, cost) {
      const client: QueuedClient = {
        isConnected: true,
        onDisconnect(listener) {
          disconnects.set(name, listener);
          return () => disconnects.delete(name);
        },
      };
      const slot = queue.slot(name.charAt(0), cost, client);
      slots.set(name, slot);
      slot.enter()?.catch(() => refused.push(name));
    },
    ends: (name) => slots.get(name)?.leave(),
    disconnects: (name) => disconnects.get(name)?.(),
    passes(time) {
      nowMs += Number.parseInt(time, 10);
    },
  };
  const running = () => [...slots].flatMap(([name, { isRunning }]) => (isRunning ? [name] : []));
  return {
    queue,
    refused,
    running,
    /** Returns the requests that it started. */
    act(step: string): string {
      const before = new Set(running());
      const [name = '', action = '', cost = '1'] = step.split(' ');
      actions[action]?.(name, Number(cost));
      return running()
        .filter((one) => !before.has(one))
        .join(' ');
    },
  };
}

const TWO_EACH = { capacity: 4, alone: 3, share: 2, rests: false };
const ONE_BY_ONE = { capacity: 1, alone: 1, share: 1, rests: false };
const FOUR = { capacity: 4, alone: 4, share: 4, rests: false };

test.each<[string, FairLimits, [step: string, starts: string][]]>([
  [
    'alone, an organization gets almost everything; the rest is for the next organization, which starts at once',
    TWO_EACH,
    [
      ['a1 sends', 'a1'],
      ['a2 sends', 'a2'],
      ['a3 sends', 'a3'],
      ['a4 sends', ''],
      ['b1 sends', 'b1'],
    ],
  ],
  [
    'beside another one, it is held to its share, and a second after the last request of the other one no longer',
    TWO_EACH,
    [
      ['b1 sends', 'b1'],
      ['b1 ends', ''],
      ['a1 sends', 'a1'],
      ['a2 sends', 'a2'],
      ['a3 sends', ''],
      ['1001ms passes', ''],
      ['a1 ends', 'a3'],
      ['a4 sends', 'a4'],
    ],
  ],
  [
    'organizations take turns, however many requests each has, and each in the order of its own',
    ONE_BY_ONE,
    [
      ['a1 sends', 'a1'],
      ['a2 sends', ''],
      ['a3 sends', ''],
      ['a4 sends', ''],
      ['b1 sends', ''],
      ['b2 sends', ''],
      ['c1 sends', ''],
      ['a1 ends', 'b1'],
      ['b1 ends', 'c1'],
      ['c1 ends', 'a2'],
      ['a2 ends', 'b2'],
      ['b2 ends', 'a3'],
      ['a3 ends', 'a4'],
    ],
  ],
  [
    'a request counts by its cost: ten small ones for each large one',
    ONE_BY_ONE,
    [
      ['a1 sends 10', 'a1'],
      ['a2 sends 10', ''],
      ...Array.from({ length: 11 }, (_, n): [string, string] => [`b${n} sends`, '']),
      ['a1 ends', 'b0'],
      ...Array.from({ length: 9 }, (_, n): [string, string] => [`b${n} ends`, `b${n + 1}`]),
      ['b9 ends', 'a2'],
      ['a2 ends', 'b10'],
    ],
  ],
  [
    'an organization that was idle gains nothing by it',
    ONE_BY_ONE,
    [
      ['a1 sends', 'a1'],
      ...Array.from({ length: 9 }, (_, n): [string, string] => [`a${n + 1} ends`, '']),
      ['a10 sends 10', 'a10'],
      ['a10 ends', ''],
      ['a11 sends', 'a11'],
      ['a12 sends', ''],
      ['b1 sends', ''],
      ['b2 sends', ''],
      ['a11 ends', 'b1'],
      ['b1 ends', 'a12'],
    ],
  ],
  [
    'a large request waits until there is room, and small ones of others do not overtake it',
    FOUR,
    [
      ['a1 sends 2', 'a1'],
      ['b1 sends 3', ''],
      ['c1 sends', ''],
      ['a1 ends', 'b1 c1'],
    ],
  ],
  [
    'an organization that waits for its own share blocks nobody',
    TWO_EACH,
    [
      ['b1 sends', 'b1'],
      ['a1 sends 2', 'a1'],
      ['a2 sends', ''],
      ['c1 sends', 'c1'],
      ['a1 ends', 'a2'],
    ],
  ],
  [
    'a request above every limit runs alone',
    ONE_BY_ONE,
    [
      ['a1 sends 10', 'a1'],
      ['b1 sends', ''],
      ['a1 ends', 'b1'],
      ['a2 sends 10', ''],
      ['b1 ends', 'a2'],
    ],
  ],
  [
    'a request whose client is gone leaves the queue, and those behind it start',
    FOUR,
    [
      ['a1 sends 2', 'a1'],
      ['b1 sends 3', ''],
      ['c1 sends', ''],
      ['b1 disconnects', 'c1'],
      ['a1 ends', ''],
    ],
  ],
])('%s', async (_name, limits, steps) => {
  const { act } = open(limits);
  expect(steps.map(([step]) => [step, act(step)])).toEqual(steps);
});

test('a request that does not have to wait gets no promise; one that waits too long is refused', async () => {
  vi.useFakeTimers();
  const { queue, act, refused, running } = open(ONE_BY_ONE);
  const slot = queue.slot('a', 1, { isConnected: true, onDisconnect: () => () => undefined });
  expect(slot.enter()).toBeUndefined();
  act('b1 sends');
  await vi.advanceTimersByTimeAsync(5_000);
  expect(refused).toEqual(['b1']);
  slot.leave();
  expect(running()).toEqual([]);
});

test('beside others, an organization with a queue leaves its place unused for as long as its request took', async () => {
  vi.useFakeTimers();
  const { act, running } = open({ ...TWO_EACH, share: 1, rests: true });
  for (const step of ['b1 sends', 'b1 ends', 'a1 sends', 'a2 sends', '10ms passes', 'a1 ends']) act(step);
  await vi.advanceTimersByTimeAsync(9);
  expect([running(), act('b2 sends')]).toEqual([[], 'b2']);
  await vi.advanceTimersByTimeAsync(1);
  expect(running()).toEqual(['a2', 'b2']);
  // Without a queue, or alone, it does not rest.
  expect([act('a2 ends'), act('a3 sends')]).toEqual(['', 'a3']);
  expect([act('1001ms passes'), act('a4 sends'), act('a5 sends'), act('a6 sends')]).toEqual(['', 'a4', 'a5', '']);
  expect(act('a4 ends')).toBe('a6');
});

test('a request that waits on purpose leaves its place to others, and takes its turn again afterwards', async () => {
  const { queue, act, running } = open(ONE_BY_ONE);
  let change: (value: string) => void = () => undefined;
  const changed = new Promise<string>((resolve) => {
    change = resolve;
  });
  const slot = queue.slot('a', 1, { isConnected: true, onDisconnect: () => () => undefined });
  slot.enter();
  const waiting = slot.leaveFor(changed);
  expect(act('b1 sends')).toBe('b1');
  change('ready');
  await changed;
  expect(slot.isRunning).toBe(false);
  act('b1 ends');
  expect(await waiting).toBe('ready');
  expect([slot.isRunning, running()]).toEqual([true, []]);
});
