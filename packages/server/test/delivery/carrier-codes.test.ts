import { DELIVERY_FAILURES } from '@foreword/contract';
import { expect, test } from 'vitest';
import { CARRIER_CODES } from '../../src/delivery/carriers/all-codes.ts';
import { indexCodes } from '../../src/delivery/carriers/codes.ts';
import { refusalOf, undelivered } from '../../src/delivery/carriers/consequences.ts';
import { TELNYX_CODES } from '../../src/delivery/carriers/telnyx-codes.ts';
import { TWILIO_CODES } from '../../src/delivery/carriers/twilio-codes.ts';

const twilio = indexCodes(TWILIO_CODES);
const refused = (code: string) => refusalOf(twilio.get(code), { reason: `Twilio ${code}`, retryAfterS: undefined });
const reported = (code: string) => undelivered(twilio.get(code), 'Twilio', code);

test.each(CARRIER_CODES)('the table of $carrier lists each code once, in a sentence', ({ codes }) => {
  expect(new Set(codes.map(({ code }) => code)).size).toBe(codes.length);
  for (const { meaning } of codes) expect(meaning).toMatch(/^[A-Z].*\.$/);
});

test.each(['20003', '30002', '30032', '30033', '30034', '30035', '63038'])(
  'code %s is the fault of the account: no text fails, in a response and in a report',
  (code) => {
    expect(refused(code)).toMatchObject({ kind: 'unusable', fault: expect.any(String) });
    expect(reported(code)).toMatchObject({ status: 'undelivered', again: 'hold', fault: expect.any(String) });
  },
);

test.each(['30001', '30022', '21611', '20429'])('code %s is retried', (code) => {
  expect(refused(code)).toMatchObject({ kind: 'later' });
  expect(reported(code)).toMatchObject({ again: 'retry' });
});

test.each([
  ['30007', 'message_filtered', 'filtered'],
  ['21408', 'carrier_refused', 'country_off'],
])('code %s fails one text as %s, and names the fault %s', (code, failure, fault) => {
  expect(refused(code)).toMatchObject({ kind: 'refused', code: failure, fault });
  expect(reported(code)).toMatchObject({ code: failure, fault });
  expect(reported(code).again).toBeUndefined();
});

test.each([
  ['21610', 'recipient_opted_out'],
  ['21211', 'invalid_number'],
  ['30005', 'invalid_number'],
  ['30006', 'unreachable_number'],
])('code %s says something about the recipient (%s), not about the account', (code, failure) => {
  expect(refused(code)).toEqual({
    kind: 'refused',
    code: failure,
    message: expect.stringContaining(`Twilio ${code}`),
  });
  expect(reported(code)).toMatchObject({ code: failure, message: expect.stringContaining(code) });
  expect(reported(code).fault).toBeUndefined();
});

test('a code that is not in the table fails the text, with the code in its message', () => {
  expect(refused('1')).toMatchObject({ kind: 'refused', code: 'carrier_refused' });
  expect(reported('1')).toEqual({
    status: 'undelivered',
    code: 'undelivered',
    message: `${DELIVERY_FAILURES.undelivered} (Twilio 1)`,
  });
});

test.each([
  ['40001', 'unreachable_number'],
  ['40012', 'invalid_number'],
  ['40008', 'undelivered'],
])('code %s of Telnyx becomes %s', (code, failure) => {
  expect(undelivered(indexCodes(TELNYX_CODES).get(code), 'Telnyx', code)).toMatchObject({ code: failure });
});
