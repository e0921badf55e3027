import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { summarizeLevels } from '../recorder/engine/levels.ts';
import { canTrim, drawWaveform, keptMs, keptPart, moveEnd } from '../recorder/trim.ts';

const WHOLE = { startMs: 0, endMs: 10_000 };

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
    const take = { id: '', blobParts: 1, bytes: 1, type: '', url: '', findings: [], levels: [], trim: null };
    const lengths = [0, 1_999, 2_000].map((durationMs) => canTrim({ ...take, durationMs, complete: true }));
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
