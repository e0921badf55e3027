import { describe, expect, it } from 'vitest';
import { type Line, Lines, MAX_PARALLEL } from '../../src/webhooks/sender/lines.ts';

const keyOf = (n: number) => ({ organizationId: 'org_1', endpointId: `whk_${n}` });

/** Marks so many endpoints, and begins all that they are chosen for. */
function fill(lines: Lines, from: number, count: number): Line[] {
  for (let n = from; n < from + count; n++) lines.mark(lines.find(keyOf(n)));
  return begin(lines);
}

function begin(lines: Lines): Line[] {
  const begun: Line[] = [];
  for (const { line, room } of lines.choose()) {
    for (let i = 0; i < room; i++) {
      lines.begin(line);
      begun.push(line);
    }
  }
  return begun;
}

describe('room', () => {
  it('is a few for each endpoint at first, more as it succeeds, and few again after a failure', () => {
    const lines = new Lines();
    const room = () => {
      lines.mark(lines.find(keyOf(1)));
      const begun = begin(lines);
      return begun;
    };
    const rooms: number[] = [];
    for (const succeeded of [true, true, true, false, true]) {
      const begun = room();
      rooms.push(begun.length);
      // All but one come to an end without a lesson.
      for (const [i, line] of begun.entries()) lines.end(line, i === 0 ? succeeded : null);
    }
    expect(rooms).toEqual([4, 8, 16, 16, 4]);
    expect(lines.running).toBe(0);
  });

  it('is not taken up whole by endpoints that fail: half of it is left for the others', () => {
    const lines = new Lines();
    for (const line of fill(lines, 0, 100)) lines.end(line, false);
    expect(fill(lines, 0, 100)).toHaveLength(MAX_PARALLEL / 2);
    const others = fill(lines, 1_000, 10);
    expect(new Set(others.map(({ key }) => key.endpointId)).size).toBe(10);
  });

  it('has its limit, and goes round: who was not served comes next', () => {
    const lines = new Lines();
    const first = fill(lines, 0, 300);
    expect(first).toHaveLength(MAX_PARALLEL);
    for (const line of first) lines.mark(line);
    for (const line of first.slice(0, 40)) lines.end(line, null);
    const served = new Set(first);
    const next = begin(lines);
    expect(next).toHaveLength(40);
    for (const line of next) expect(served.has(line)).toBe(false);
  });

  it('forgets no mark that comes while its endpoint is being asked', () => {
    const lines = new Lines();
    const line = lines.find(keyOf(1));
    lines.mark(line);
    expect(lines.choose()).toEqual([{ line, room: 4 }]);
    expect(lines.choose()).toEqual([]);
    lines.mark(line);
    expect(lines.choose()).toEqual([{ line, room: 4 }]);
  });
});
