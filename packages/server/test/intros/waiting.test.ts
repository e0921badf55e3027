import { expect, test } from 'vitest';
import { countRows } from '../../src/intros/events/store/processing.ts';

const ones = (count: number) => Array.from({ length: count }, () => 1);

// At a low rate, events are accepted one or two at a time. Processing them by twenty rows would then be slower than accepting.
test.each([
  ['all rows', [20, 20, 20], 400, 3],
  ['many rows of one event', ones(100), 84, 84],
  ['no more events than wanted', [3, 3, 3, 3], 7, 2],
  ['one row at least', [20, 20], 5, 1],
  ['nothing', [], 400, 0],
] as const)('a batch of events takes %s', (_name, sizes, events, rows) => {
  const waiting = { organizationId: 'org_1', environment: 'test', oldestId: 'evt_1', sizes } as const;
  expect(countRows(waiting, events)).toBe(rows);
});
