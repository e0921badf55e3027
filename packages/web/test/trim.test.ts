import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { captionsOf } from '../recorder/captions.ts';
import { summarizeLevels } from '../recorder/engine/take-check.ts';
import type { Take } from '../recorder/engine/types.ts';
import { canTrim, clock, drawWaveform, keptMs, keptPart, moveEnd } from '../recorder/trim.ts';

const WHOLE = { startMs: 0, endMs: 10_000 };

const TAKE: Take = {
  ...{ id: '', bytes: 1, type: '', url: '', findings: [], levels: [], durationMs: 0 },
  ...{ trim: null, captions: null, complete: true, isSent: false },
};

describe('the part of a take that is kept', () => {
  test('is all of it at first, and never exceeds it', () => {
    expect(keptPart({ durationMs: 10_000, trim: null })).toEqual(WHOLE);
    expect(keptPart({ durationMs: 10_000, trim: { startMs: 500, endMs: 11_000 } })).toEqual({
      startMs: 500,
      endMs: 10_000,
    });
  });

  test('begins and ends where its ends are moved to', () => {
    const cut = moveEnd(WHOLE, 'end', 8_000, 10_000);
    expect(cut).toEqual({ startMs: 0, endMs: 8_000 });
    expect(moveEnd({ startMs: 0, endMs: 8_000 }, 'start', 700, 10_000)).toEqual({ startMs: 700, endMs: 8_000 });
  });

  test('without a cut at the end includes what the recorder’s clock missed there', () => {
    expect(moveEnd(WHOLE, 'start', 700, 10_000)).toEqual({ startMs: 700, endMs: 11_000 });
  });

  test('is all of it again when its ends are back', () => {
    expect(moveEnd({ startMs: 700, endMs: 10_000 }, 'start', 0, 10_000)).toBeNull();
    expect(moveEnd({ startMs: 0, endMs: 8_000 }, 'end', 10_100, 10_000)).toBeNull();
  });

  test('for any movement lasts at least a second, within the take', () => {
    const end = fc.constantFrom('start' as const, 'end' as const);
    const moves = fc.array(fc.tuple(end, fc.integer({ min: -2_000, max: 40_000 })), { minLength: 1 });
    fc.assert(
      fc.property(fc.integer({ min: 2_000, max: 30_000 }), moves, (durationMs, toMs) => {
        let kept = keptPart({ durationMs, trim: null });
        for (const [which, ms] of toMs) {
          const trim = moveEnd(kept, which, ms, durationMs);
          kept = keptPart({ durationMs, trim });
          expect(keptMs(kept)).toBeGreaterThanOrEqual(1_000);
          expect(kept.startMs).toBeGreaterThanOrEqual(0);
          expect(kept.endMs).toBeLessThanOrEqual(durationMs);
        }
      }),
    );
  });

  test('cannot be chosen in a take of less than two seconds, or of unknown length', () => {
    const lengths = [0, 1_999, 2_000].map((durationMs) => canTrim({ ...TAKE, durationMs }));
    expect(lengths).toEqual([false, false, true]);
  });
});

describe('the loudness of a take', () => {
  const frame = (atMs: number, power: number) => ({ atMs, power, clipped: 0, samples: 1 });

  test('has a level for each tenth of a second, the loudest of its measurements', () => {
    const frames = [frame(1_000, 1), frame(1_150, 0), frame(1_199, 0.001), frame(1_250, 0.001), frame(9_000, 1)];
    expect(summarizeLevels(frames, 1_000, 350)).toEqual([100, 50, 50, 0]);
    expect(summarizeLevels([], 1_000, 350)).toEqual([]);
  });

  test('is drawn as bars of the highest level, even for fewer levels than bars', () => {
    expect(drawWaveform([0, 100, 40, 20], 2)).toBe('M0.5 0V100M1.5 30V70');
    expect(drawWaveform([100], 2)).toBe('M0.5 0V100M1.5 0V100');
    expect(drawWaveform([], 1)).toBe('M0.5 47V53');
  });
});

describe('the captions of a take', () => {
  const SCRIPT = Array(24).fill('word').join(' ');
  const voice = (seconds: number): number[] => Array(seconds * 10).fill(70);
  const pause = (seconds: number): number[] => Array(seconds * 10).fill(5);
  const take = (levels: number[], change: Partial<Take> = {}): Take => ({
    ...TAKE,
    levels,
    durationMs: levels.length * 100,
    ...change,
  });
  const fitting = [...pause(1), ...voice(9), ...pause(1)];

  test.each([
    ['the script that the voice fits', take(fitting), SCRIPT],
    ['none for a voice that does not', take([...voice(4), ...pause(7)]), ''],
    ['none for a part that does not', take(fitting, { trim: { startMs: 0, endMs: 5_000 } }), ''],
    [
      'the script for the part that does',
      take([...voice(1), ...pause(4), ...voice(10)], { trim: { startMs: 4_000, endMs: 15_000 } }),
      SCRIPT,
    ],
    ['none when nothing was measured', take([]), ''],
    ['what the member typed', take([], { captions: 'Hi Dana.' }), 'Hi Dana.'],
    ['none if the member turned them off', take(fitting, { captions: '' }), ''],
  ])('are %s', (_case, given, expected) => {
    expect(captionsOf(given, SCRIPT)).toBe(expected);
  });

  test('are off without a script', () => {
    expect(captionsOf(take(fitting), null)).toBe('');
  });
});

test('a video of a whole minute has minutes', () => {
  expect([5_000, 59_000, 60_000].map(clock)).toEqual(['0:05', '0:59', '1:00']);
});
