import { describe, expect, test } from 'vitest';
import { ID_PATTERN, newId, randomBase62, toBase62 } from '../../src/platform/ids.ts';

const at = (ms: number) => new Date(ms);

describe('newId', () => {
  test('returns ids that sort by creation, even within a millisecond and when the clock goes back', () => {
    const times = [...Array.from({ length: 10_000 }, () => 5_000_000_000_000), 4_999_999_999_000, 5_000_000_000_001];
    const ids = times.map((ms) => newId('evt', at(ms)));
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('matches the pattern for ids in requests', () => {
    for (const prefix of ['tp', 'evt', 'whk']) expect(newId(prefix, at(5_000_000_000_000))).toMatch(ID_PATTERN);
  });

  test('returns different random parts within a millisecond', () => {
    const [a, b] = [newId('int', at(5_100_000_000_000)), newId('int', at(5_100_000_000_000))];
    expect(a.slice(-12)).not.toBe(b.slice(-12));
  });
});

describe('base62', () => {
  test('uses each of the 62 characters about equally often', () => {
    const counts = new Map<string, number>();
    for (const character of randomBase62(62_000)) counts.set(character, (counts.get(character) ?? 0) + 1);
    expect(counts.size).toBe(62);
    for (const count of counts.values()) expect(count).toBeGreaterThan(800);
    for (const count of counts.values()) expect(count).toBeLessThan(1200);
  });

  test('formats a number with a fixed width', () => {
    expect(toBase62(0, 6)).toBe('000000');
    expect(toBase62(61, 6)).toBe('00000z');
    expect(toBase62(0xffffffff, 6)).toBe('4gfFC3');
  });
});
