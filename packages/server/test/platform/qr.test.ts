import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { drawQr } from '../../src/platform/qr.ts';

// Codes that another reader has read. A change of the picture has to be read again.
test.each([
  ['a', 29, '6ee45bc11120'],
  [`https://foreword.example.com/r/${'Zx'.repeat(28)}`, 45, '8a9ac291472c'],
  ['x'.repeat(134), 49, '9f0041cd641a'],
])('the code of %s', (text, size, hash) => {
  const picture = drawQr(text) ?? '';
  expect(picture).toContain(`viewBox="0 0 ${size} ${size}"`);
  expect(createHash('sha256').update(picture).digest('hex').slice(0, 12)).toBe(hash);
});

test('a text that is too long has no code', () => {
  expect(drawQr('x'.repeat(135))).toBeNull();
});
