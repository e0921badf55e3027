import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  type Fetch,
  Foreword,
  ForewordAuthenticationError,
  ForewordConflictError,
  ForewordConnectionError,
  ForewordError,
  ForewordNotFoundError,
  ForewordPermissionError,
  ForewordRateLimitError,
  ForewordServerError,
  ForewordValidationError,
  type RequestLike,
} from '../src/index.ts';

const connection = { apiKey: 'fw_test_secret', baseUrl: 'https://foreword.example' };
const event = {
  touchpoint: 'closing',
  occurred_at: '2026-03-10T09:15:00Z',
  member: { external_id: 'rep_17' },
  recipient: { first_name: 'Dana', phone: '+15005550123' },
};
const key = { idempotencyKey: 'crm:1:closing' };

type Step = Response | Error | 'silence';
const problem = (status: number, code = 'some_code', headers: Record<string, string> = {}) =>
  new Response(JSON.stringify({ error: { code, message: 'No.', field: 'a.b' } }), {
    status,
    headers: { 'request-id': 'req_1', ...headers },
  });
const success = () => new Response('{"id":"evt_1"}', { status: 202 });

/** Answers each attempt with the next step, and records the attempts. */
function answerWith(...steps: Step[]) {
  const attempts: (RequestLike & { atMs: number })[] = [];
  const fetch: Fetch = async (_url, request) => {
    attempts.push({ ...request, atMs: Date.now() });
    const step = steps.shift();
    if (step === undefined) throw new Error('one attempt too many');
    if (step instanceof Error) throw step;
    if (step !== 'silence') return step;
    return new Promise<never>((_resolve, reject) => {
      request.signal.addEventListener('abort', () => reject(request.signal.reason));
    });
  };
  return { attempts, foreword: new Foreword({ ...connection, fetch }) };
}

/** Runs all timers until the call is settled. */
async function settle<T>(promise: Promise<T>): Promise<T | Error> {
  const settled = promise.catch((error: Error) => error);
  await vi.runAllTimersAsync();
  return settled;
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test.each<[string, () => Step]>([
  ['a broken connection', () => new TypeError('fetch failed')],
  ['a timeout', () => 'silence'],
  ['a 429', () => problem(429, 'rate_limited')],
  ['a 500', () => problem(500, 'internal_error')],
  ['a page of a gateway', () => new Response('<h1>Bad gateway</h1>', { status: 502 })],
  ['a success that was cut off', () => new Response('{"id":"evt', { status: 202 })],
  ['a 408', () => problem(408, 'request_timeout')],
])('%s is repeated with the same key and the same bytes', async (_name, fault) => {
  const { attempts, foreword } = answerWith(fault(), fault(), success());
  expect(await settle(foreword.events.create(event, key))).toEqual({ id: 'evt_1' });
  expect(attempts).toHaveLength(3);
  for (const { headers, body } of attempts) {
    expect(headers['idempotency-key']).toBe('crm:1:closing');
    expect(body).toBe(JSON.stringify(event));
  }
});

test('an error has every problem, and the object of a key that is in use', async () => {
  const problems = [
    { field: 'a.b', message: 'a.b is required.' },
    { field: 'c', message: 'c must be text.' },
  ];
  const respond = (status: number, error: object) => new Response(JSON.stringify({ error }), { status });
  const invalid = { code: 'validation_failed', message: 'No.', field: 'a.b', problems };
  const conflict = { code: 'idempotency_conflict', message: 'No.', object_id: 'evt_1' };
  const { foreword } = answerWith(respond(422, invalid), respond(409, conflict), problem(404));
  expect(await settle(foreword.events.create(event, key))).toMatchObject({
    field: 'a.b',
    problems,
    objectId: undefined,
  });
  expect(await settle(foreword.events.create(event, key))).toMatchObject({ problems: [], objectId: 'evt_1' });
  expect(await settle(foreword.events.retrieve('evt_1'))).toMatchObject({ problems: [], objectId: undefined });
});

test.each([
  ['reference_id', { reference_id: '' }],
  ['reference_id', { reference_id: null }],
  ['status', { status: [] }],
  ['status', { status: ['ready', ''] }],
  ['metadata', { metadata: {} }],
  ['metadata[owner]', { metadata: { owner: '' } }],
  ['metadata[owner]', { metadata: { owner: undefined } }],
])('an empty %s is an error of every list before anything is sent', async (name, filters) => {
  const { attempts, foreword } = answerWith(success());
  const list = () => foreword.intros.list(filters as object);
  const expected = {
    code: 'invalid_argument',
    field: name,
    message: `${name} must not be empty: leave it out for no filter`,
  };
  await expect(Promise.resolve(list())).rejects.toMatchObject(expected);
  await expect(list()[Symbol.asyncIterator]().next()).rejects.toMatchObject(expected);
  expect(attempts).toEqual([]);
});

test.each([400, 401, 403, 404, 405, 409, 410, 413, 415, 418, 422, 428, 431])(
  'a %i is never repeated',
  async (status) => {
    const { attempts, foreword } = answerWith(problem(status));
    expect(await settle(foreword.events.create(event, key))).toMatchObject({ status });
    expect(attempts).toHaveLength(1);
  },
);

test('a key that the SDK chose stays the same for every attempt of one call, and differs between calls', async () => {
  const { attempts, foreword } = answerWith(problem(503), success(), problem(503), success());
  await settle(foreword.intros.cancel('int_1'));
  await settle(foreword.intros.cancel('int_1'));
  const keys = attempts.map(({ headers }) => headers['idempotency-key']);
  expect([keys[0] === keys[1], keys[2] === keys[3], keys[0] === keys[2]]).toEqual([true, true, false]);
});

test('pauses grow, differ at random, and are never shorter than Retry-After', async () => {
  const pausesOf = async (...steps: Step[]) => {
    const { attempts, foreword } = answerWith(...steps, success());
    await settle(foreword.events.create(event, key));
    return attempts.slice(1).map(({ atMs }, at) => atMs - (attempts[at]?.atMs ?? 0));
  };
  const failures = () => [500, 500, 500, 500, 500].map((status) => problem(status));
  const [first, second] = [await pausesOf(...failures()), await pausesOf(...failures())];
  for (const [at, pauseMs] of first.entries()) {
    expect(pauseMs).toBeGreaterThanOrEqual(250 * 2 ** at);
    expect(pauseMs).toBeLessThanOrEqual(500 * 2 ** at);
  }
  expect(first).not.toEqual(second);
  expect(await pausesOf(problem(429, 'rate_limited', { 'retry-after': '7' }))).toEqual([7000]);
  expect(await pausesOf(problem(503, 'storage_full', { 'retry-after': '3' }))).toEqual([3000]);
  const inNineSeconds = new Date(Date.now() + 9500).toUTCString();
  const [untilDate] = await pausesOf(problem(429, 'rate_limited', { 'retry-after': inNineSeconds }));
  expect(untilDate).toBeGreaterThan(8000);
});

test('a Retry-After of more than a minute is an error at once, with the time', async () => {
  const { attempts, foreword } = answerWith(problem(503, 'storage_full', { 'retry-after': '3600' }));
  const error = await settle(foreword.events.create(event, key));
  expect(error).toBeInstanceOf(ForewordServerError);
  expect(error).toMatchObject({ code: 'storage_full', retryAfterS: 3600 });
  expect(attempts).toHaveLength(1);
});

test('after the last attempt the error says what failed, and no attempt follows', async () => {
  const { attempts, foreword } = answerWith(...Array.from({ length: 6 }, () => new TypeError('fetch failed')));
  const error = (await settle(foreword.events.create(event, key))) as ForewordConnectionError;
  expect(error).toBeInstanceOf(ForewordConnectionError);
  expect(error.message).toBe('POST https://foreword.example/v1/touchpoint-events: fetch failed');
  expect(error.cause).toBeInstanceOf(TypeError);
  expect(attempts).toHaveLength(6);
  const once = answerWith(problem(500));
  await settle(once.foreword.events.create(event, { ...key, maxRetries: 0 }));
  expect(once.attempts).toHaveLength(1);
});

test.each([
  [401, ForewordAuthenticationError],
  [403, ForewordPermissionError],
  [404, ForewordNotFoundError],
  [409, ForewordConflictError],
  [422, ForewordValidationError],
  [429, ForewordRateLimitError],
  [500, ForewordServerError],
  [400, ForewordError],
] as const)('a %i is a %o with code, field, status and requestId', async (status, Class) => {
  const { foreword } = answerWith(problem(status, 'a_code_of_tomorrow'));
  const error = await settle(foreword.intros.retrieve('int_1', { maxRetries: 0 }));
  expect(error).toBeInstanceOf(Class);
  expect(error).toMatchObject({
    name: Class.name,
    code: 'a_code_of_tomorrow',
    field: 'a.b',
    status,
    requestId: 'req_1',
    message: 'No.',
  });
});

test('a 404 of another server is no missing object, and a redirect is not followed', async () => {
  const { attempts, foreword } = answerWith(
    new Response('<h1>Not found</h1>', { status: 404 }),
    new Response('', { status: 301, headers: { location: 'https://www.foreword.example/v1/events' } }),
  );
  const missing = await settle(foreword.intros.retrieve('int_1'));
  expect(missing).not.toBeInstanceOf(ForewordNotFoundError);
  expect(missing).toMatchObject({ code: 'unexpected_response', status: 404 });
  const redirected = (await settle(foreword.events.create(event, key))) as Error;
  expect(redirected.message).toContain('redirects to https://www.foreword.example/v1/events: set baseUrl');
  expect(attempts.map(({ redirect }) => redirect)).toEqual(['manual', 'manual']);
});

test('the time limit includes the body, and holds even for a fetch that ignores its signal', async () => {
  const endless = { status: 200, headers: new Headers(), text: () => new Promise<string>(() => undefined) };
  const foreword = new Foreword({ ...connection, fetch: async () => endless, maxRetries: 0, timeoutMs: 700 });
  const startMs = Date.now();
  const error = await settle(foreword.intros.retrieve('int_1'));
  expect(error).toMatchObject({ code: 'timeout', message: expect.stringContaining('within 700 ms') });
  expect(Date.now() - startMs).toBe(700);
});

test('intros.waitFor ends at once when the intro was sent before it was seen in the status', async () => {
  const { foreword } = answerWith(new Response('{"id":"int_1","status":"sent"}'));
  const passed = await settle(foreword.intros.waitFor('int_1', { status: 'ready' }));
  expect(passed).toMatchObject({ name: 'ForewordIntroClosedError', intro: { status: 'sent' } });
});

test('an abort signal cancels an attempt, a pause and a call before its start, with its own reason', async () => {
  const during = answerWith('silence');
  const first = new AbortController();
  const attempt = foreword(during, first);
  await vi.advanceTimersByTimeAsync(10);
  first.abort(new Error('first'));
  await expect(attempt).rejects.toThrow('first');

  const between = answerWith(problem(503, 'service_unavailable', { 'retry-after': '30' }));
  const second = new AbortController();
  const pause = foreword(between, second);
  await vi.advanceTimersByTimeAsync(1000);
  second.abort();
  await expect(pause).rejects.toMatchObject({ name: 'AbortError' });

  const never = answerWith();
  await expect(foreword(never, second)).rejects.toMatchObject({ name: 'AbortError' });
  expect([during, between, never].map(({ attempts }) => attempts.length)).toEqual([1, 1, 0]);
  expect(vi.getTimerCount()).toBe(0);

  function foreword(server: ReturnType<typeof answerWith>, { signal }: AbortController) {
    const result = server.foreword.events.create(event, { ...key, signal });
    result.catch(() => undefined);
    return result;
  }
});

test('no error contains the key', async () => {
  const { foreword } = answerWith(problem(401), new TypeError('fetch failed'));
  for (const error of [
    await settle(foreword.touchpoints.retrieve('a', { maxRetries: 0 })),
    await settle(foreword.touchpoints.retrieve('a', { maxRetries: 0 })),
  ])
    expect(`${(error as Error).stack} ${JSON.stringify(error)}`).not.toContain('fw_test_secret');
  expect(JSON.stringify(foreword)).not.toContain('fw_test_secret');
});

test.each<[string, object]>([
  ['apiKey', { apiKey: undefined }],
  ['apiKey', { apiKey: 'fw_test_1\n' }],
  ['baseUrl', { baseUrl: undefined }],
  ['baseUrl', { baseUrl: 'foreword.example' }],
  ['baseUrl', { baseUrl: 'ftp://foreword.example' }],
  ['baseUrl', { baseUrl: 'https://a:b@foreword.example' }],
  ['baseUrl', { baseUrl: 'https://foreword.example/v1/' }],
  ['baseUrl', { baseUrl: 'https://foreword.example/?a=b' }],
  ['timeoutMs', { timeoutMs: 0 }],
  ['maxRetries', { maxRetries: -1 }],
])('a wrong %s in %o is refused by name', (field, options) => {
  expect(() => new Foreword({ ...connection, ...options })).toThrow(
    expect.objectContaining({ code: 'invalid_argument', field, message: expect.stringContaining(field) }),
  );
});

test.each(['', '.', '..', undefined, 7])('an id that would reach another path (%o) is refused', async (id) => {
  const { attempts, foreword } = answerWith();
  await expect(foreword.intros.cancel(id as string)).rejects.toMatchObject({ code: 'invalid_argument', field: 'id' });
  expect(attempts).toEqual([]);
});

test.each([undefined, '', ' a', 'a\nb', 'ü', 'a'.repeat(256)])(
  'a creation with the key %o is refused',
  async (idempotencyKey) => {
    const { attempts, foreword } = answerWith();
    await expect(foreword.events.create(event, { idempotencyKey: idempotencyKey as string })).rejects.toMatchObject({
      code: 'invalid_argument',
      field: 'idempotencyKey',
    });
    expect(attempts).toEqual([]);
  },
);

const { idempotencyKey } = Foreword;

test('a key is source, record, touchpoint and part', () => {
  const parts = { source: 'crm', recordId: '42', touchpoint: 'new_inspection' };
  expect(idempotencyKey({ ...parts, part: 'roofing' })).toBe('crm:42:new_inspection:roofing');
  expect(idempotencyKey({ ...parts, recordId: 42 })).toBe('crm:42:new_inspection');
  for (const part of [undefined, null, '']) expect(idempotencyKey({ ...parts, part })).toBe('crm:42:new_inspection');
});

test('the key of an appointment has its start in UTC to the minute, and the revision of its record', () => {
  const parts = { source: 'crm', recordId: '42', touchpoint: 'new_inspection' };
  const times = [
    '2030-03-12T14:30:00-05:00',
    '2030-03-12T19:30:59.999Z',
    '2030-03-12T14:30-0500',
    '2030-03-12T14:30-05',
    '2030-03-12t19:30z',
    new Date(1_899_574_200_000),
  ];
  for (const appointmentAt of times)
    expect(idempotencyKey({ ...parts, appointmentAt })).toBe('crm:42:new_inspection:2030-03-12T19:30Z');
  expect(idempotencyKey({ ...parts, part: 'roofing', appointmentAt: '2030-03-12T19:30Z', revision: 7 })).toBe(
    'crm:42:new_inspection:roofing:2030-03-12T19:30Z:7',
  );
  for (const appointmentAt of [undefined, null, ''])
    expect(idempotencyKey({ ...parts, appointmentAt })).toBe('crm:42:new_inspection');
});

test('different parts give different keys, each of which a header can contain', () => {
  const part = fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom('a:b', 'a%3Ab', 'Zoë', '\u0000', '🏠'));
  const parts = fc.record({ source: part, recordId: part, touchpoint: part, part: fc.option(part) });
  fc.assert(
    fc.property(parts, parts, (a, b) => {
      const [one, other] = [idempotencyKey(a), idempotencyKey(b)];
      expect(one).toMatch(/^[!-~]{1,255}$/);
      expect(one === other).toBe(JSON.stringify(a) === JSON.stringify(b));
    }),
  );
  expect(idempotencyKey({ source: 'a:b', recordId: 'c', touchpoint: 'd' })).toBe('a%3Ab:c:d');
  expect(idempotencyKey({ source: 'crm', recordId: 'Zoë 1', touchpoint: 'd' })).toBe('crm:Zo%C3%AB%201:d');
});

test.each<[string, object]>([
  ['source', { source: '' }],
  ['source', { source: undefined }],
  ['recordId', { recordId: undefined }],
  ['recordId', { recordId: Number.NaN }],
  ['recordId', { recordId: 2 ** 60 }],
  ['recordId', { recordId: { id: 1 } }],
  ['recordId', { recordId: '\ud800' }],
  ['touchpoint', { touchpoint: null }],
  ['part', { part: {} }],
  ['appointmentAt', { appointmentAt: '2030-03-12T14:30:00' }],
  ['appointmentAt', { appointmentAt: '2030-03-12' }],
  ['appointmentAt', { appointmentAt: new Date(Number.NaN) }],
  ['revision', { revision: 2 }],
  ['revision', { revision: {}, appointmentAt: '2030-03-12T14:30Z' }],
  ['idempotencyKey', { recordId: 'x'.repeat(250) }],
])('a wrong %s in %o is refused by name', (field, change) => {
  const parts = { source: 'crm', recordId: '42', touchpoint: 'closing', ...change };
  expect(() => idempotencyKey(parts)).toThrow(expect.objectContaining({ code: 'invalid_argument', field }));
});
