import { RECORDING_FAILURES } from '@foreword/contract';
import { expect, test } from 'vitest';
import { TEXTS } from '../../src/recordings/shell.ts';

const STORED = 'This video is damaged.';

test('English shows the stored reason of a refused take, and Spanish its own for every code', () => {
  expect(TEXTS.en.explainRefusal('broken', STORED)).toBe(STORED);
  const codes = Object.keys(RECORDING_FAILURES);
  const reasons = codes.map((code) => TEXTS.es.explainRefusal(code, STORED));
  expect(new Set(reasons).size).toBe(codes.length);
  expect(reasons).not.toContain(STORED);
});

test('a code of a newer version has a general reason, and a take that was not refused has none', () => {
  expect(TEXTS.es.explainRefusal('from_the_future', STORED)).toMatch(/^No pudimos procesar este video/);
  expect(TEXTS.es.explainRefusal(null, null)).toBeNull();
});
