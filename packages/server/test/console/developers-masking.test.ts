import fc from 'fast-check';
import { expect, test } from 'vitest';
import { maskBody, maskPhone, maskQuery, maskText } from '../../src/console/developers/request-log/collector.ts';

test('a masked phone number keeps its country code and last two digits', () => {
  expect(maskPhone('+14155550123')).toBe('+1••••••••23');
  expect(maskPhone('+1 (415) 555-0123')).toBe('+1 (•••) •••-••23');
  expect(maskPhone('+4915112345678')).toBe('+49•••••••••78');
  expect(maskPhone('+351912345678')).toBe('+351•••••••78');
  expect(maskPhone('(415) 555-0123')).toBe('(•••) •••-••23');
});

test('masking changes only the phone numbers of a body', () => {
  const body =
    '{ "recipient": {"first_name":"Dana", "phone":"+14155550123"},\n "metadata": {"note":"call (415) 555-0188"} }';
  expect(maskBody(body)).toBe(
    '{ "recipient": {"first_name":"Dana", "phone":"+1••••••••23"},\n "metadata": {"note":"call (•••) •••-••88"} }',
  );
});

test.each([
  ['digits only', '{"recipient":{"phone":"4155550123"}}'],
  ['a JSON number', '{"recipient":{"phone":4155550123}}'],
  ['an unknown name', '{"recipient":{"whats":"4155550123"}}'],
  ['escapes', '{"recipient":{"phone":"\\u002b1415\\u00355550123"}}'],
  ['truncated JSON', '{"recipient":{"phone":"+14155550123'],
  ['a form', 'recipient[phone]=%2B14155550123'],
  ['a list', '{"phones":["+14155550123","4155550123"]}'],
])('a body with %s contains no phone number after masking', (_what, body) => {
  const masked = maskBody(body);
  expect(masked).not.toMatch(/5550123|5555|55501|4155/);
  expect(masked).toMatch(/•••••/);
});

test('ids, times and amounts are not masked', () => {
  const body =
    '{"reference":{"id":"0061234567890"},"occurred_at":"2026-03-10T09:15:00-05:00","metadata":{"amount":12500}}';
  expect(maskBody(body)).toBe(body);
});

test('secrets are removed from URLs, fields and headers', () => {
  const body =
    '{"url":"https://ana:hunter2@crm.acme.example/x","secret":"whsec_abcdef","metadata":{"key":"fw_test_0123456789abcdefghijABCDEFGHIJ"},"api_key":"x1"}';
  const masked = maskBody(body);
  for (const secret of ['hunter2', 'whsec_abcdef', 'fw_test_0123', 'x1"']) expect(masked).not.toContain(secret);
  expect(maskText('Bearer abc.def')).toBe('[removed]');
  expect(maskQuery('starting_after=int_1&token=abc&phone=%2B14155550123')).toBe(
    'starting_after=int_1&token=[removed]&phone=+1••••••••23',
  );
});

test.each(['eu1', 'europe1', 'e'])('a key that names the installation %s is masked as a whole', (cell) => {
  const random = '0123456789abcdefghijABCDEFGHIJ';
  const masked = maskBody(`{"metadata":{"note":"fw_test_${cell}_${random}"}}`);
  expect(masked).not.toContain('fw_test_');
  expect(masked).not.toContain(random.slice(0, 6));
});

test('masking ends for a large hostile text, and never leaves a phone number', () => {
  // Four times the limit of a body: quadratic time would take minutes.
  const hostile = [
    '"'.repeat(240_000),
    '\\"'.repeat(120_000),
    '1'.repeat(240_000),
    '+1 '.repeat(80_000),
    '{"a":'.repeat(48_000),
  ];
  for (const text of hostile) {
    maskBody(`{${text}`);
    maskBody(text);
  }
  fc.assert(
    fc.property(fc.json(), fc.string(), (json, name) => {
      const body = `{"first":${json},${JSON.stringify(name)}:"+14155550123"}`;
      expect(maskBody(body)).not.toContain('4155550123');
    }),
  );
});
