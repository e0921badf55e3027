import { countWords, fitsInTime, secondsToSay } from '@foreword/contract/plain';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { clampPace, countBegun, readScript } from '../recorder/script.ts';

test('37 words at 150 words per minute take about 15 seconds, and 38 words take longer', () => {
  expect(Math.round(secondsToSay(37, 150))).toBe(15);
  expect([fitsInTime(37, 150), fitsInTime(38, 150), fitsInTime(37, 120)]).toEqual([true, false, false]);
});

test('emoji and lone punctuation are not words, and numbers are', () => {
  expect(countWords('Hi Sarah 👋🏽 – see you at 2:30 PM! 🏠👨‍👩‍👧 1️⃣ #️⃣')).toBe(7);
  expect(countWords('  ')).toBe(0);
  expect(countWords('¿Cómo está? Привет 你好')).toBe(4);
});

test('the script speed stays within the range of teleprompters', () => {
  expect([1, 59, 60, 151.4, 220, 900].map(clampPace)).toEqual([60, 60, 60, 151, 220, 220]);
});

test('a long word and the end of a sentence get more time than a short word', () => {
  const { begins } = readScript('a extraordinary a. a');
  const lengths = begins.map((begin, index) => (begins[index + 1] ?? 1) - begin);
  const [short = 0, long = 0, end = 0] = lengths;
  expect(long).toBeGreaterThan(short);
  expect(end).toBeGreaterThan(short);
});

test('for any text, words start in order, the first at once, and all have started at the end', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const script = readScript(text);
      const { words, begins } = script;
      expect(words.join(' ')).toBe(text.trim().split(/\s+/).join(' '));
      expect(begins.length).toBe(words.length);
      if (words.length === 0) return;
      expect(begins[0]).toBe(0);
      expect([...begins].sort((a, b) => a - b)).toEqual(begins);
      expect(countBegun(script, 0)).toBe(1);
      expect(countBegun(script, 1)).toBe(words.length);
    }),
  );
});
