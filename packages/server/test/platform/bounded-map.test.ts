import { describe, expect, test } from 'vitest';
import { BoundedMap } from '../../src/platform/bounded-map.ts';

describe('BoundedMap', () => {
  test('evicts the least recently used entry when it is full, and none for another value of an entry', () => {
    const map = new BoundedMap<string, number>({ maxSize: 2 });
    map.set('a', 1);
    map.set('b', 2);
    map.set('b', 3);
    expect([map.get('a'), map.get('b'), map.get('a')]).toEqual([1, 3, 1]);
    expect(map.has('b')).toBe(true);
    map.set('c', 4);
    expect([map.has('a'), map.has('b'), map.has('c'), map.size]).toEqual([true, false, true, 2]);
  });

  test('expires an entry after its maximum age, however often it was used', () => {
    let nowMs = 0;
    const map = new BoundedMap<string, number>({ maxSize: 2, maxAge: { ms: 100, nowMs: () => nowMs } });
    map.set('a', 1);
    nowMs = 99;
    expect(map.get('a')).toBe(1);
    nowMs = 100;
    expect(map.has('a')).toBe(false);
    expect(map.get('a')).toBeUndefined();
    expect(map.size).toBe(0);
  });

  test('deletes one entry, matching entries, or all of them', () => {
    const map = new BoundedMap<string, number>({ maxSize: 9 });
    for (const [i, key] of ['a', 'b', 'c', 'd'].entries()) map.set(key, i);
    map.delete('a');
    map.deleteWhere((value) => value === 2);
    expect([map.has('a'), map.has('b'), map.has('c'), map.has('d')]).toEqual([false, true, false, true]);
    map.clear();
    expect(map.size).toBe(0);
  });
});
