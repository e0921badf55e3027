import { DELIVERY_FAILURES } from '@foreword/contract';
import { expect, test } from 'vitest';
import { refusalOf, undelivered } from '../../src/delivery/carriers/carrier.ts';
import {
  ACCOUNT_FAULTS,
  CARRIER_CODES,
  indexCodes,
  TELNYX_CODES,
  TWILIO_CODES,
} from '../../src/delivery/carriers/codes.ts';

const twilio = indexCodes(TWILIO_CODES);
const refused = (code: string) => refusalOf(twilio.get(code), { reason: `Twilio ${code}`, retryAfterS: undefined });
const reported = (code: string) => undelivered(twilio.get(code), 'Twilio', code);

test.each(CARRIER_CODES)('the table of $carrier lists each code once, in a sentence', ({ codes }) => {
  expect(new Set(codes.map(({ code }) => code)).size).toBe(codes.length);
  for (const { meaning } of codes) expect(meaning).toMatch(/^[A-Z].*\.$/);
});

const FAULT = expect.toBeOneOf(Object.keys(ACCOUNT_FAULTS));
const failure = (...codes: readonly string[]) => expect.toBeOneOf([...codes]);
const COLUMNS: Readonly<Record<string, object>> = {
  retry: {},
  hold: { fault: FAULT },
  notify: { fault: FAULT, failure: failure('carrier_refused', 'message_filtered') },
  flag: { failure: failure('invalid_number', 'unreachable_number') },
  opt_out: { failure: 'recipient_opted_out' },
  fail: { failure: failure('carrier_refused', 'undelivered') },
};

test.each(CARRIER_CODES.flatMap(({ carrier, codes }) => codes.map((code) => ({ carrier, ...code }))))(
  'code $code of $carrier has the columns of the action $action',
  ({ carrier: _carrier, code: _code, meaning: _meaning, action, ...columns }) => {
    expect(columns).toEqual(COLUMNS[action]);
  },
);

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
