import { expect, test } from 'vitest';
import { simulatedCarrier } from '../../src/delivery/carriers/index.ts';

type Text = Parameters<typeof simulatedCarrier.send>[0];

test.each([
  ['+15005550001', 1, { kind: 'refused', code: 'invalid_number' }],
  ['+15005550002', 1, { kind: 'accepted', report: { status: 'undelivered', code: 'undelivered' } }],
  ['+15005550003', 1, { kind: 'refused', code: 'recipient_opted_out' }],
  ['+15005550004', 1, { kind: 'later' }],
  ['+15005550004', 2, { kind: 'accepted', report: { status: 'delivered' } }],
  ['+15005550006', 1, { kind: 'accepted', report: { status: 'delivered' } }],
])('a text to the test number %s, attempt %i, has the documented outcome', async (to, attempt, outcome) => {
  expect(await simulatedCarrier.send({ to, attempt } as Text)).toMatchObject(outcome);
});
