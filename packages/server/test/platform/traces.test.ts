import type pg from 'pg';
import { expect, test } from 'vitest';
import { createTracer } from '../../src/platform/tracing.ts';
import { createTraces, NO_TRACES } from '../../src/traces/index.ts';

const TENANT = { organizationId: 'org_1', environment: 'test' } as const;
const KEY = { tenant: TENANT, id: 'evt_1' };
const SPAN = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) };
const failing = { query: () => Promise.reject(new Error('the database is away')) } as unknown as pg.Pool;
const traces = createTraces(createTracer({ followsCaller: true, ratio: 1 }));

test('while traces are off, nothing is asked of the database', async () => {
  await NO_TRACES.remember(failing, [{ ...KEY, span: SPAN }]);
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
  await expect(traces.remember(failing, [{ ...KEY, span: SPAN }])).rejects.toThrow('away');
});
