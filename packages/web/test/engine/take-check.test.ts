import { describe, expect, test } from 'vitest';
import { checkTake, type SoundFrame, summarizeSound } from '../../recorder/engine/take-check.ts';

const FRAME_MS = 50;
const SAMPLES = 2_048;
const SPEECH = 0.01;
const ROOM = 1e-7;

const frames = (seconds: number, power: (atMs: number) => number, clipped = 0): SoundFrame[] =>
  Array.from({ length: (seconds * 1_000) / FRAME_MS }, (_, index) => ({
    atMs: index * FRAME_MS,
    power: power(index * FRAME_MS),
    clipped,
    samples: SAMPLES,
  }));

const findings = (sound: SoundFrame[], brightness: number | null = 0.5, durationMs = 10_000) =>
  checkTake({ durationMs, sound: summarizeSound(sound), brightness });

/** 400 ms of voice, 200 ms of pause. */
const speech = (atMs: number): number => (atMs % 600 < 400 ? SPEECH : ROOM);

describe('the take check', () => {
  test('finds nothing in a take that ends after the last word', () => {
    expect(findings(frames(10, (atMs) => (atMs < 9_500 ? speech(atMs) : ROOM)))).toEqual([]);
  });

  test('finds the end cut off when the voice continues to the last moment', () => {
    expect(findings(frames(10, (atMs) => (atMs < 9_700 ? speech(atMs) : SPEECH)))).toEqual(['cut_off']);
  });

  test('does not report constant truck noise as a cut-off voice', () => {
    expect(findings(frames(10, () => SPEECH))).toEqual([]);
  });

  test('reports silent, and not also quiet, when there is no voice', () => {
    expect(findings(frames(10, () => ROOM))).toEqual(['silent']);
  });

  test('reports quiet for a voice far from the microphone', () => {
    expect(findings(frames(10, (atMs) => (atMs < 9_500 ? speech(atMs) / 1_000 : ROOM / 100)))).toEqual(['quiet']);
  });

  test('reports clipping when many samples clip, but not for one knock on the table', () => {
    expect(findings(frames(10, (atMs) => (atMs < 9_500 ? speech(atMs) : ROOM), 20))).toEqual(['clipping']);
    const knocked = frames(10, (atMs) => (atMs < 9_500 ? speech(atMs) : ROOM));
    for (const frame of knocked.slice(40, 41)) frame.clipped = SAMPLES / 10;
    expect(findings(knocked)).toEqual([]);
  });

  test('reports dark below the brightness of a face lit by a screen', () => {
    expect(
      findings(
        frames(10, (atMs) => (atMs < 9_500 ? speech(atMs) : ROOM)),
        0.1,
      ),
    ).toEqual(['dark']);
  });

  test('reports too short under three seconds', () => {
    expect(checkTake({ durationMs: 2_900, sound: null, brightness: null })).toEqual(['too_short']);
  });

  test('finds nothing in a take that could not be measured', () => {
    expect(checkTake({ durationMs: 10_000, sound: summarizeSound([]), brightness: null })).toEqual([]);
  });
});
