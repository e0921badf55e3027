import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { advance, findLine, readScript, scrollTop } from '../recorder/script.ts';
import { comparableWords, countSaid, type Voice, VoiceActivity } from '../recorder/voice.ts';

const TOTAL_MS = 10_000;
const VOICES: Voice[] = ['speaking', 'pausing', 'unknown'];

describe('the position in the script', () => {
  const advanced = (voice: Voice, share: number, heardShare: number | null = null) =>
    advance(share, { elapsedMs: 1_000, totalMs: TOTAL_MS, voice, heardShare });

  test('moves at the pace while the member speaks or cannot be heard, and waits in pauses', () => {
    expect(VOICES.map((voice) => advanced(voice, 0.5))).toEqual([0.6, 0.5, 0.6]);
  });

  test('catches up with the recognized words, even in a pause, and no further', () => {
    expect(advanced('pausing', 0.2, 0.7)).toBeCloseTo(0.5);
    expect(advanced('pausing', 0.2, 0.3)).toBeCloseTo(0.3);
  });

  test('waits for the recognized words when it is two seconds ahead of them', () => {
    expect(advanced('speaking', 0.45, 0.3)).toBeCloseTo(0.5);
    expect(advanced('speaking', 0.55, 0.3)).toBe(0.55);
  });

  test('for any moments never goes back and never leaves the script', () => {
    const moment = fc.record({
      elapsedMs: fc.integer({ min: 0, max: 5_000 }),
      voice: fc.constantFrom(...VOICES),
      heardShare: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
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

describe('the words heard', () => {
  const script = comparableWords('Hi Dana, this is Ana. I’ll be at your place Tuesday at two to look at the roof.');
  const said = (before: number, heard: string) => countSaid(script, before, comparableWords(heard));

  test('move the script behind the last one', () => {
    expect(said(0, 'hi')).toBe(1);
    expect(said(1, 'hi Dana')).toBe(2);
    expect(said(5, 'I’ll be at your')).toBe(9);
  });

  test('may be incomplete or wrong', () => {
    expect(said(2, 'dis is Ana')).toBe(5);
    expect(said(5, 'place Tuesday')).toBe(11);
  });

  test('that do not come next change nothing: neither words of one’s own nor earlier ones', () => {
    expect(said(5, 'well anyway')).toBe(5);
    expect(said(5, 'this is Ana')).toBe(5);
    expect(said(5, 'roof')).toBe(5);
    expect(said(5, '')).toBe(5);
  });

  test('are compared without case, accents and punctuation', () => {
    expect(comparableWords('¡Mañana, a las DOS!')).toEqual(['manana', 'a', 'las', 'dos']);
  });
});
