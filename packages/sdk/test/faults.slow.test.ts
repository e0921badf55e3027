import { beforeEach, expect, test } from 'vitest';
import { forFile, openService } from '../../server/test/harness/index.ts';
import { Foreword, ForewordConnectionError, ForewordServerError, ForewordValidationError } from '../src/index.ts';
import { FAULTS, type Fault, startFaultyProxy } from './faulty-proxy.ts';

/** Repeats a run that failed. */
const SEED = Number(process.env.FOREWORD_TEST_SEED ?? 7);
const EVENTS = 40;
/** Shorter than a silent proxy, longer than a delayed response. */
const TIMEOUT_MS = 1500;

const fixture = await forFile(openService());
const proxy = await forFile(startFaultyProxy(fixture.service.url));
const foreword = new Foreword({
  apiKey: fixture.organization.key,
  baseUrl: proxy.url,
  timeoutMs: TIMEOUT_MS,
  maxRetries: 12,
});

/** A small generator of numbers from 0 to 1, the same for each seed. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const eventOf = (id: number) => ({
  touchpoint: 'project_update',
  occurred_at: '2026-03-10T09:15:00Z',
  member: { external_id: 'rep_17' },
  recipient: { first_name: 'Dana', phone: '+15005550123' },
  reference: { source: 'crm', id: String(id) },
});
const keyOf = (recordId: number, touchpoint = 'project_update') => ({
  idempotencyKey: Foreword.idempotencyKey({ source: 'faults', recordId, touchpoint }),
});

beforeEach(() => proxy.inject(() => 'none'));

test(`behind a proxy that drops, cuts, delays, fails and duplicates, each event exists exactly once (seed ${SEED})`, async () => {
  const random = createRandom(SEED);
  // Half of the requests meet a fault, and silence is rare because it costs a whole time limit.
  const weighted: readonly Fault[] = FAULTS.flatMap((fault): Fault[] =>
    fault === 'none' ? Array(18).fill(fault) : fault === 'silence' ? [fault] : [fault, fault],
  );
  proxy.inject(({ url = '' }) => {
    const fault = weighted[Math.floor(random() * weighted.length)] ?? 'none';
    // Silence in a long poll costs the time that the server may wait, too.
    return fault === 'silence' && url.includes('wait=') ? 'cut-response' : fault;
  });
  const accepted = await Promise.all(
    Array.from({ length: EVENTS }, (_, id) => foreword.events.create(eventOf(id), keyOf(id))),
  );
  const done = await Promise.all(accepted.map(({ id }) => foreword.events.waitFor(id)));

  const listed: string[] = [];
  for await (const { id } of foreword.events.list({ limit: 7 })) listed.push(id);
  expect(FAULTS.filter((fault) => proxy.counts[fault] === 0)).toEqual([]);

  proxy.inject(() => 'none');
  const { data, has_more } = await foreword.events.list({ limit: 100 });
  expect(has_more).toBe(false);
  expect(data.map(({ reference }) => Number(reference?.id)).sort((a, b) => a - b)).toEqual([...Array(EVENTS).keys()]);
  expect(data.map(({ id }) => id)).toEqual(listed);
  expect(new Set(accepted.map(({ id }) => id))).toEqual(new Set(listed));
  // Two intros for one event would be two texts to a customer.
  const intros = await foreword.intros.list({ limit: 100 });
  expect(intros.data.map(({ id }) => id).sort()).toEqual(done.map(({ intro }) => intro).sort());
}, 60_000);

test('an error of the API arrives typed through the faults, and is not repeated', async () => {
  const faults: Fault[] = ['drop-response', 'fail-503', 'none'];
  let requests = 0;
  proxy.inject(() => {
    requests++;
    return faults.shift() ?? 'none';
  });
  const wrong = { ...eventOf(1000), recipient: { first_name: 'Dana', phone: '415-555-0123' } };
  const error = await foreword.events.create(wrong, keyOf(1000)).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(ForewordValidationError);
  expect(error).toMatchObject({ code: 'validation_failed', field: 'recipient.phone', status: 422 });
  expect((error as ForewordValidationError).requestId).toMatch(/\w/);
  expect(requests).toBe(3);
});

test.each([
  ['drop-response', ForewordConnectionError, { code: 'connection_failed', status: undefined }],
  ['refuse', ForewordConnectionError, { code: 'connection_failed', status: undefined }],
  ['cut-response', ForewordConnectionError, { code: 'connection_failed' }],
  ['silence', ForewordConnectionError, { code: 'timeout' }],
  ['gateway-page', ForewordServerError, { code: 'unexpected_response', status: 502 }],
  ['fail-503', ForewordServerError, { code: 'service_unavailable', status: 503, retryAfterS: 0 }],
] as const)(
  '%s without an end is a typed error, and the next call with the same key creates nothing twice',
  async (fault, Class, expected) => {
    const id = 2000 + FAULTS.indexOf(fault);
    proxy.inject(() => fault);
    // Only silence ends with the limit. A slow machine must not reach it with another fault.
    const timeoutMs = fault === 'silence' ? 300 : 30_000;
    const error = await foreword.events
      .create(eventOf(id), { ...keyOf(id), maxRetries: 1, timeoutMs })
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(Class);
    expect(error).toMatchObject(expected);
    proxy.inject(() => 'none');
    await foreword.events.create(eventOf(id), keyOf(id));
    expect((await foreword.events.list({ reference_id: String(id) })).data).toHaveLength(1);
  },
);
