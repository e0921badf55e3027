import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { advance, findLine, readScript, scrollTop } from '../recorder/script.ts';
import { type Voice, VoiceActivity } from '../recorder/voice.ts';

const TOTAL_MS = 10_000;
const VOICES: Voice[] = ['speaking', 'pausing', 'unknown'];

describe('the position in the script', () => {
  const advanced = (voice: Voice, share: number) => advance(share, { elapsedMs: 1_000, totalMs: TOTAL_MS, voice });

  test('moves at the pace while the member speaks or cannot be heard, and waits in pauses', () => {
    expect(VOICES.map((voice) => advanced(voice, 0.5))).toEqual([0.6, 0.5, 0.6]);
  });

  test('for any moments never goes back and never leaves the script', () => {
    const moment = fc.record({
      elapsedMs: fc.integer({ min: 0, max: 5_000 }),
      voice: fc.constantFrom(...VOICES),
    });
    fc.assert(
      fc.property(fc.array(moment), (moments) => {
        let share = 0;
        for (const each of moments) {
          const next = advance(share, { ...each, totalMs: TOTAL_MS });
          expect(next).toBeGreaterThanOrEqual(share);
          expect(next).toBeLessThanOrEqual(1);
          share = next;
        }
      }),
    );
  });

  test('belongs to a line, which stays below the top edge', () => {
    const script = readScript('one two six ten');
    const lines = [
      { top: 0, height: 20, from: 0, to: 2 },
      { top: 20, height: 20, from: 2, to: 4 },
    ];
    expect(findLine(lines, script, 0)).toEqual({ index: 0, within: 0 });
    expect(findLine(lines, script, 0.75)).toEqual({ index: 1, within: 0.5 });
    const third = { top: 40, height: 20, from: 4, to: 6 };
    expect([0, 0.5, 1].map((within) => scrollTop(third, within, false))).toEqual([4, 14, 24]);
    expect(scrollTop(third, 0, true)).toBe(24);
  });
});

/** Levels every 50 ms. */
function listen(levels: (atMs: number) => number, untilMs: number): VoiceActivity {
  const voice = new VoiceActivity(0);
  for (let atMs = 0; atMs <= untilMs; atMs += 50) voice.hear(levels(atMs), atMs);
  return voice;
}

describe('the voice', () => {
  const QUIET = 0.1;
  const LOUD = 0.7;

  test('speaks through the gaps between words, and pauses after a sentence', () => {
    const talk = (atMs: number) => (atMs < 3_000 && atMs % 400 < 250 ? LOUD : QUIET);
    expect(listen(talk, 2_000).at(2_000)).toBe('speaking');
    expect(listen(talk, 3_200).at(3_200)).toBe('speaking');
    expect(listen(talk, 3_600).at(3_600)).toBe('pausing');
    expect(listen(talk, 12_000).at(12_000)).toBe('pausing');
  });

  test('is heard above the noise of a street', () => {
    const street = (atMs: number) => (atMs < 3_000 && atMs % 400 < 250 ? 0.6 : 0.4);
    expect(listen(street, 2_000).at(2_000)).toBe('speaking');
    expect(listen(street, 4_000).at(4_000)).toBe('pausing');
  });

  test.each<[string, VoiceActivity, number]>([
    ['without measurements', listen(() => LOUD, 1_000), 1_600],
    ['in loud noise', listen(() => 0.6, 3_000), 3_000],
    ['when nothing was heard for the first seconds', listen(() => QUIET, 3_000), 3_000],
  ])('is unknown %s, so that the script follows the pace', (_case, voice, atMs) => {
    expect(voice.at(atMs)).toBe('unknown');
  });

  test('may take a moment to begin', () => {
    expect(listen(() => QUIET, 1_000).at(1_000)).toBe('pausing');
  });
});
