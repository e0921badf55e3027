import { describe, expect, test } from 'vitest';
import { EndpointScheduler, type EndpointState, MAX_CONCURRENT_ATTEMPTS } from '../../src/webhooks/sender/scheduler.ts';

const keyOf = (n: number) => ({ organizationId: 'org_1', endpointId: `whk_${n}` });

/** Marks endpoints and begins an attempt for each slot they get. */
function fill(scheduler: EndpointScheduler, from: number, count: number): EndpointState[] {
  for (let n = from; n < from + count; n++) scheduler.mark(scheduler.find(keyOf(n)));
  return begin(scheduler);
}

function begin(scheduler: EndpointScheduler): EndpointState[] {
  const begun: EndpointState[] = [];
  for (const { endpoint, slots } of scheduler.choose()) {
    for (let i = 0; i < slots; i++) {
      scheduler.begin(endpoint);
      begun.push(endpoint);
    }
  }
  return begun;
}

describe('the endpoint scheduler', () => {
  test('gives an endpoint a few slots at first, more as it succeeds, and few again after a failure', () => {
    const scheduler = new EndpointScheduler();
    const slots: number[] = [];
    for (const succeeded of [true, true, true, false, true]) {
      const begun = fill(scheduler, 1, 1);
      slots.push(begun.length);
      for (const [i, endpoint] of begun.entries()) scheduler.end(endpoint, i === 0 ? succeeded : null);
    }
    expect(slots).toEqual([4, 8, 16, 16, 4]);
    expect(scheduler.running).toBe(0);
  });

  test('gives failing endpoints at most half of the slots', () => {
    const scheduler = new EndpointScheduler();
    for (const endpoint of fill(scheduler, 0, 100)) scheduler.end(endpoint, false);
    expect(fill(scheduler, 0, 100)).toHaveLength(MAX_CONCURRENT_ATTEMPTS / 2);
    const others = fill(scheduler, 1_000, 10);
    expect(new Set(others.map(({ key }) => key.endpointId)).size).toBe(10);
  });

  test('has a limit, and serves the endpoints that got no slot before those that did', () => {
    const scheduler = new EndpointScheduler();
    const first = fill(scheduler, 0, 300);
    expect(first).toHaveLength(MAX_CONCURRENT_ATTEMPTS);
    for (const endpoint of first) scheduler.mark(endpoint);
    for (const endpoint of first.slice(0, 40)) scheduler.end(endpoint, null);
    const served = new Set(first);
    const next = begin(scheduler);
    expect(next).toHaveLength(40);
    for (const endpoint of next) expect(served.has(endpoint)).toBe(false);
  });

  test('keeps a mark that is set after its endpoint was chosen', () => {
    const scheduler = new EndpointScheduler();
    const endpoint = scheduler.find(keyOf(1));
    scheduler.mark(endpoint);
    expect(scheduler.choose()).toEqual([{ endpoint, slots: 4 }]);
    expect(scheduler.choose()).toEqual([]);
    scheduler.mark(endpoint);
    expect(scheduler.choose()).toEqual([{ endpoint, slots: 4 }]);
  });
});
