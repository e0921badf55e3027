import { describe, expect, test } from 'vitest';
import { chooseStill, type FrameLook, measureLooks } from '../../src/recordings/media/still.ts';

const look = (seconds: number, changed: Partial<FrameLook> = {}): FrameLook => ({
  seconds,
  sharpness: 100,
  brightness: 120,
  contrast: 60,
  difference: 5,
  ...changed,
});
const chosen = (...frames: FrameLook[]): number | undefined => chooseStill(frames, 15)?.seconds;

describe('the still of a take', () => {
  test('is the sharpest frame', () => {
    expect(chosen(look(4), look(5, { sharpness: 140 }), look(6, { sharpness: 110 }))).toBe(5);
  });

  test('is the earlier of two frames that are equally sharp, but a much sharper one wins', () => {
    expect(chosen(look(9), look(2), look(12))).toBe(2);
    expect(chosen(look(2), look(12, { sharpness: 130 }))).toBe(12);
  });

  test.each([
    ['dark', { brightness: 8 }],
    ['overexposed', { brightness: 250 }],
    ['flat', { contrast: 2 }],
  ])('is not a %s frame when another exists', (_case, light) => {
    expect(chosen(look(5, { sharpness: 900, ...light }), look(6))).toBe(6);
    expect(chosen(look(5, light))).toBe(5);
  });

  test('does not show another scene than the rest of the take, however sharp', () => {
    expect(chosen(look(4), look(5, { sharpness: 400, difference: 45 }), look(6))).toBe(4);
  });

  test('tolerates a member who moves a lot', () => {
    const moving = [
      look(4, { difference: 30 }),
      look(5, { sharpness: 200, difference: 45 }),
      look(6, { difference: 28 }),
    ];
    expect(chosen(...moving)).toBe(5);
  });

  test('is not from the first or last half second, when the member reaches for the button', () => {
    expect(chosen(look(0.2, { sharpness: 200 }), look(6), look(14.8, { sharpness: 200 }))).toBe(6);
    expect(chosen(look(0.2, { sharpness: 50 }), look(14.8))).toBe(14.8);
  });

  test('is undefined without frames', () => {
    expect(chooseStill([], 15)).toBeUndefined();
  });
});

describe('measured frames', () => {
  const SIZE = { width: 60, height: 100 };
  const draw = (level: (x: number, y: number) => number): Uint8Array =>
    Uint8Array.from({ length: SIZE.width * SIZE.height }, (_, at) =>
      level(at % SIZE.width, Math.floor(at / SIZE.width)),
    );
  const stripes = (width: number) => draw((x) => 128 + 100 * Math.sin((Math.PI * x) / width));
  const measure = (...frames: Uint8Array[]) =>
    measureLooks(
      frames.map((gray, seconds) => ({ seconds, gray })),
      SIZE,
    );

  test('are sharper the narrower their edges are', () => {
    const [sharp, blurred] = measure(stripes(2), stripes(8));
    expect(sharp?.sharpness).toBeGreaterThan(10 * (blurred?.sharpness ?? Number.NaN));
  });

  test('do not gain sharpness from the bottom and the sides', () => {
    const [framed] = measure(draw((x, y) => (x < 11 || x > 49 || y > 73 ? 255 * ((x + y) % 2) : 100)));
    expect(framed?.sharpness).toBe(0);
  });

  test('differ by what most of them show', () => {
    const [usual, other] = measure(
      stripes(8),
      draw(() => 0),
      stripes(8),
      stripes(8),
    );
    expect(usual?.difference).toBeCloseTo(0);
    expect(other?.difference).toBeGreaterThan(80);
    expect(other).toMatchObject({ brightness: 0, contrast: 0 });
  });
});
