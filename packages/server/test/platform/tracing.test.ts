import { createHash } from 'node:crypto';
import type pg from 'pg';
import { expect, test } from 'vitest';
import { createTracer, readTraceId, startSpan } from '../../src/platform/tracing.ts';
import { createTraces, NO_TRACES } from '../../src/traces/index.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

test.each([
  [`00-${TRACE}-${SPAN}-01`, TRACE],
  // A later version may append fields.
  [`cc-${TRACE}-${SPAN}-01-more`, TRACE],
  [`ff-${TRACE}-${SPAN}-01`, undefined],
  [`00-${'0'.repeat(32)}-${SPAN}-01`, undefined],
  [`00-${TRACE}-${'0'.repeat(16)}-01`, undefined],
  [`00-${TRACE.toUpperCase()}-${SPAN}-01`, undefined],
  [`00-${TRACE}-${SPAN}-01x`, undefined],
  [`00-${TRACE}`, undefined],
  ['', undefined],
  [undefined, undefined],
])('the trace of %s is %s', (header, traceId) => {
  expect(readTraceId(header)).toBe(traceId);
});

const sampled = (traceId: string) => `00-${traceId}-${SPAN}-01`;
const unsampled = (traceId: string) => `00-${traceId}-${SPAN}-00`;

test('without a sampler no request is traced, whatever its caller says', () => {
  const tracer = createTracer(undefined);
  expect(tracer.isOn).toBe(false);
  expect(tracer.startRequest(sampled(TRACE), 0)).toBeUndefined();
});

test('a request of a traced caller continues its trace', () => {
  const tracer = createTracer({ followsCaller: true, ratio: 0 });
  const span = tracer.startRequest(sampled(TRACE), 5);
  expect(span).toEqual({ traceId: TRACE, spanId: expect.stringMatching(/^[0-9a-f]{16}$/), parentId: SPAN, startMs: 5 });
  expect(tracer.startRequest(undefined, 5)).toBeUndefined();
});

test('a caller that does not record its trace is followed, too', () => {
  expect(createTracer({ followsCaller: true, ratio: 1 }).startRequest(unsampled(TRACE), 0)).toBeUndefined();
  expect(createTracer({ followsCaller: false, ratio: 1 }).startRequest(unsampled(TRACE), 0)?.parentId).toBe(SPAN);
});

test('of 10,000 requests without a trace, a ratio of 0.2 records about 2,000', () => {
  const tracer = createTracer({ followsCaller: true, ratio: 0.2 });
  const count = Array.from({ length: 10_000 }, () => tracer.startRequest(undefined, 0)).filter(Boolean).length;
  // Six standard deviations.
  expect(Math.abs(count - 2_000)).toBeLessThan(240);
});

test('all processes decide alike about one trace', () => {
  const tracers = [1, 2].map(() => createTracer({ followsCaller: false, ratio: 0.5 }));
  const ids = Array.from({ length: 200 }, (_, i) => createHash('md5').update(String(i)).digest('hex'));
  const [first, second] = tracers.map((tracer) => ids.map((id) => tracer.startRequest(unsampled(id), 0) !== undefined));
  expect(second).toEqual(first);
  expect(new Set(first).size).toBe(2);
});

test('spans that a collector does not take are dropped beyond 20,000, and counted', () => {
  const tracer = createTracer({ followsCaller: true, ratio: 1 });
  const parent = { traceId: TRACE, spanId: SPAN };
  const end = () => tracer.end(startSpan(parent), { name: 'a', kind: 'internal', attributes: {} });
  for (let i = 0; i < 20_001; i++) end();
  expect([tracer.finished, tracer.takeDropped(), tracer.takeDropped()]).toEqual([20_000, 1, 0]);
  const taken = tracer.take(512);
  for (let i = 0; i < 500; i++) end();
  tracer.putBack(taken);
  expect([tracer.finished, tracer.takeDropped()]).toEqual([20_000, 500]);
});

const TENANT = { organizationId: 'org_1', environment: 'test' } as const;
const KEY = { tenant: TENANT, id: 'evt_1' };
const STORED = { traceId: TRACE, spanId: SPAN };
const failing = { query: () => Promise.reject(new Error('the database is away')) } as unknown as pg.Pool;
const traces = createTraces(createTracer({ followsCaller: true, ratio: 1 }));

test('while traces are off, nothing is asked of the database', async () => {
  await NO_TRACES.remember(failing, [{ ...KEY, span: STORED }]);
  expect((await NO_TRACES.find(failing, [KEY])).size).toBe(0);
});

test('an object without a span is not stored', async () => {
  await traces.remember(failing, [{ ...KEY, span: undefined }]);
});

test('a text or webhook is sent without its trace when the trace cannot be read', async () => {
  expect((await traces.findIfPossible(failing, [KEY])).size).toBe(0);
});

test('a transaction ends when a trace cannot be read or stored', async () => {
  await expect(traces.find(failing, [KEY])).rejects.toThrow('away');
  await expect(traces.remember(failing, [{ ...KEY, span: STORED }])).rejects.toThrow('away');
});
