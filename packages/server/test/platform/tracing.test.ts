import { createHash } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createTraces } from '../../src/intros/traces/index.ts';
import type { Logger } from '../../src/platform/log.ts';
import { startTracer } from '../../src/platform/otlp/traces.ts';
import { endSpan, readTraceParent, type Sampler, type Span, type Tracer } from '../../src/platform/tracing.ts';
import { listenLocally } from '../harness/index.ts';

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
  expect(readTraceParent(header)?.traceId).toBe(traceId);
});

const sampled = (traceId: string) => `00-${traceId}-${SPAN}-01`;
const unsampled = (traceId: string) => `00-${traceId}-${SPAN}-00`;
const warn = vi.fn();

function open(sampler: Sampler, endpoint = 'http://127.0.0.1:9') {
  const log = { warn } as unknown as Logger;
  const sender = { version: '1.2.3', instance: 'run_1', log };
  return startTracer({ endpoint, headers: {} }, sampler, sender);
}
const idsOf = (span: Span | undefined) => span?.spanContext();

test('a request of a traced caller continues its trace', () => {
  const tracer = open({ followsCaller: true, ratio: 0 });
  const span = tracer.startRequest('a', sampled(TRACE), 5);
  expect(idsOf(span)).toMatchObject({ traceId: TRACE, spanId: expect.stringMatching(/^(?!00f067aa)[0-9a-f]{16}$/) });
  expect(span).toMatchObject({ parentSpanContext: { spanId: SPAN } });
  expect(tracer.startRequest('a', undefined, 5)).toBeUndefined();
});

test('a caller that does not record its trace is followed, too', () => {
  expect(open({ followsCaller: true, ratio: 1 }).startRequest('a', unsampled(TRACE), 0)).toBeUndefined();
  const span = open({ followsCaller: false, ratio: 1 }).startRequest('a', unsampled(TRACE), 0);
  expect(span).toMatchObject({ parentSpanContext: { spanId: SPAN } });
});

test('of 10,000 requests without a trace, a ratio of 0.2 records about 2,000', () => {
  const tracer = open({ followsCaller: true, ratio: 0.2 });
  const count = Array.from({ length: 10_000 }, () => tracer.startRequest('a', undefined, 0)).filter(Boolean).length;
  // Six standard deviations.
  expect(Math.abs(count - 2_000)).toBeLessThan(240);
});

test('all processes decide alike about one trace, and about each part of it', () => {
  const [api, worker] = [1, 2].map(() => open({ followsCaller: false, ratio: 0.5 })) as [Tracer, Tracer];
  const ids = Array.from({ length: 200 }, (_, i) => createHash('md5').update(String(i)).digest('hex'));
  const recorded = ids.map((id) => api.startRequest('a', unsampled(id), 0) !== undefined);
  expect(ids.map((id) => worker.startRequest('a', unsampled(id), 0) !== undefined)).toEqual(recorded);
  const parts = ids.map((traceId) => worker.start('b', 'client', { traceId, spanId: SPAN }).isRecording());
  expect(parts).toEqual(recorded);
  expect(new Set(recorded).size).toBe(2);
});

test.each([
  ['refuses them', (response: ServerResponse) => void response.writeHead(400).end(), 1],
  ['does not respond', () => undefined, 0],
])('a process that stops tries to send its last spans, also to a collector that %s', async (_, respond, warnings) => {
  warn.mockClear();
  const requests: string[] = [];
  const collector = createServer(({ url = '' }, response) => {
    requests.push(url);
    respond(response);
  });
  const { url, close } = await listenLocally(collector);
  onTestFinished(close);
  const tracer = open({ followsCaller: true, ratio: 1 }, url);
  endSpan(tracer.startRequest('a', undefined, 0), { attributes: {} });
  await tracer.stop();
  expect(requests).toEqual(['/v1/traces']);
  expect(warn.mock.calls.length).toBe(warnings);
});

test('spans that wait for a slow collector are dropped beyond 20,000, and counted', async () => {
  warn.mockClear();
  const held: ServerResponse[] = [];
  const { url, close } = await listenLocally(createServer((_request, response) => held.push(response)));
  onTestFinished(close);
  const tracer = open({ followsCaller: true, ratio: 1 }, url);
  const end = () => endSpan(tracer.start('a', 'internal', { traceId: TRACE, spanId: SPAN }), { attributes: {} });
  // One batch is in flight.
  for (let i = 0; i < 512 + 20_000 + 7; i++) end();
  await expect.poll(() => held.length).toBe(1);
  held[0]?.end('{}');
  await expect.poll(() => held.length).toBe(2);
  end();
  expect(warn.mock.calls).toEqual([[expect.stringContaining('Dropped 7 spans')]]);
});

const TENANT = { organizationId: 'org_1', environment: 'test' } as const;
const KEY = { tenant: TENANT, id: 'evt_1' };
const failing = { query: () => Promise.reject(new Error('the database is away')) } as unknown as pg.Pool;
const tracer = open({ followsCaller: true, ratio: 1 });
const traces = createTraces(tracer);
const STORED = tracer.startRequest('a', sampled(TRACE), 0);

test('while traces are off, nothing is asked of the database', async () => {
  await createTraces(undefined).remember(failing, [{ ...KEY, span: STORED }]);
  expect((await createTraces(undefined).find(failing, [KEY])).size).toBe(0);
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
