import { describe, expect, test } from 'vitest';
import { EndpointScheduler, type EndpointState, MAX_CONCURRENT_ATTEMPTS } from '../../src/webhooks/sender/scheduler.ts';

/** Each endpoint has its own organization, unless one is given. */
const keyOf = (n: number, organization = n) => ({ organizationId: `org_${organization}`, endpointId: `whk_${n}` });

/** Marks endpoints and begins an attempt for each slot they get. */
function fill(scheduler: EndpointScheduler, from: number, count: number, organization?: number): EndpointState[] {
  for (let n = from; n < from + count; n++) scheduler.mark(scheduler.find(keyOf(n, organization)));
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

  /** Endpoints of one organization that have had success, so that each gets 16 slots. */
  function fillProven(scheduler: EndpointScheduler, from: number, count: number, organization: number) {
    for (let n = 0; n < 2; n++) {
      for (const endpoint of fill(scheduler, from, count, organization)) scheduler.end(endpoint, true);
    }
    return fill(scheduler, from, count, organization);
  }

  test('leaves slots that one organization cannot take, and gives it as many as its endpoints can use while alone', () => {
    const scheduler = new EndpointScheduler();
    expect(fillProven(scheduler, 0, 20, 1)).toHaveLength(20 * 16);
    expect(fill(scheduler, 20, 100, 1).length).toBeLessThan(MAX_CONCURRENT_ATTEMPTS / 10);
    const free = MAX_CONCURRENT_ATTEMPTS - scheduler.running;
    expect(free).toBeGreaterThan(MAX_CONCURRENT_ATTEMPTS / 4);
    const other = fillProven(scheduler, 1_000, 20, 2);
    expect(other.length).toBeGreaterThan(free / 2);
    for (let n = 3; n < 7; n++) expect(fill(scheduler, n * 1_000, 20, n).length).toBeGreaterThan(0);
  });

  test('gives an organization that has more than its share nothing until it has less, and others what it gives up', () => {
    const scheduler = new EndpointScheduler();
    const hanging = fillProven(scheduler, 0, 20, 1);
    for (const endpoint of hanging) scheduler.mark(endpoint);
    const other = fillProven(scheduler, 1_000, 20, 2);
    for (const endpoint of other) scheduler.mark(endpoint);
    const countOf = (begun: EndpointState[], organization: number) =>
      begun.filter(({ key }) => key.organizationId === `org_${organization}`).length;
    const [first, second] = [hanging.length, other.length];
    let [gained, regained] = [0, 0];
    for (const endpoint of hanging.slice(0, 200)) {
      scheduler.end(endpoint, null);
      const begun = begin(scheduler);
      for (const one of begun) scheduler.mark(one);
      regained += countOf(begun, 1);
      gained += countOf(begun, 2);
    }
    expect(first - 200 + regained).toBeLessThan(first);
    expect(Math.abs(first - 200 + regained - (second + gained))).toBeLessThan(20);
  });

  test('gives the failing endpoints of one organization only a share of the slots for failing ones', () => {
    const scheduler = new EndpointScheduler();
    for (const endpoint of fill(scheduler, 0, 80, 1)) scheduler.end(endpoint, false);
    const hanging = fill(scheduler, 0, 80, 1);
    expect(hanging.length).toBeLessThan((MAX_CONCURRENT_ATTEMPTS / 2) * 0.7);
    for (const endpoint of fill(scheduler, 1_000, 5, 2)) scheduler.end(endpoint, false);
    expect(fill(scheduler, 1_000, 5, 2)).toHaveLength(5 * 4);
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
