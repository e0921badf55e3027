import { expect, test } from 'vitest';
import { createApi, forFile, logLines, type Reply, sleep } from '../harness/index.ts';
import { APPOINTMENT, anEvent, anIntro, settled } from './support/actions.ts';
import { expectDiscreet, openService } from './support/service.ts';

/** Log lines are flushed a few times a second. */
const FLUSHED_MS = 500;

interface Line {
  request_id?: string;
  trace_id?: string;
  operation?: string;
  organization?: string;
  key?: string;
  status?: number;
  error?: string;
}

/** Calls every operation, with successes and every kind of error. */
async function callEverything(): Promise<Reply[]> {
  const { api, memberId } = fixture.organization;
  const event = await api.post('/v1/touchpoint-events', anEvent({ metadata: { note: 'Dana Reyes' } }), { key: 'a' });
  await settled(api, event.body.id);
  const script = 'Hi Dana, call +14155550123.';
  const intro = await api.post(
    '/v1/intros',
    anIntro({ instructions: { script }, context: { title: 'Ana', appointment: APPOINTMENT } }),
    { key: 'b' },
  );
  const stranger = createApi(fixture.service.url, fixture.organization.key.slice(0, -1));
  return [
    event,
    intro,
    await api.post('/v1/touchpoint-events', anEvent({ metadata: { note: 'Dana Reyes' } }), { key: 'a' }),
    await api.post('/v1/intros', anIntro({ member: { email: 'dana@acme.example' } })),
    await api.post('/v1/intros', anIntro({ 'Dana +14155550123': 1 })),
    await api.post('/v1/intros', anIntro(), { key: 'b' }),
    await api.raw('POST', '/v1/intros', {
      headers: { 'idempotency-key': 'c', 'content-type': 'text/plain' },
      body: 'Dana Reyes',
    }),
    await api.post(`/v1/intros/${intro.body.id}/mark_sent`),
    await api.post(`/v1/intros/${intro.body.id}/cancel`),
    await api.get(`/v1/intros/${intro.body.id}?note=dana@acme.example`),
    await api.get('/v1/intros/Dana%20Reyes'),
    await api.get(`/v1/intros?member=${memberId}&reference_id=%2B14155550123`),
    await api.get(`/v1/events/${event.body.id}`),
    await api.get('/v1/members?email=ana@acme.example'),
    await api.get('/v1/touchpoints'),
    await api.get('/v1/Dana/%2B14155550123'),
    await api.raw('DELETE', '/v1/intros/Dana'),
    await stranger.get('/v1/members?email=ana@acme.example'),
  ];
}

const fixture = await forFile(openService({ LOG_LEVEL: 'debug' }));
const replies = await callEverything();
await sleep(FLUSHED_MS);

const lines = () => logLines<Line>(fixture.service);

test('every response, including errors, has a unique Request-Id', () => {
  const ids = replies.map(({ headers }) => headers.get('request-id'));
  for (const id of ids) expect(id).toMatch(/^req_[0-9a-z]{26}$/);
  expect(new Set(ids).size).toBe(replies.length);
  expect([...new Set(replies.map(({ status }) => status))].sort()).toEqual([
    200, 201, 202, 401, 404, 405, 409, 415, 422,
  ]);
});

test('that ID is in exactly one log line, with the operation, status and error code', () => {
  const byId = new Map<string | undefined, Line[]>();
  for (const line of lines()) byId.set(line.request_id, [...(byId.get(line.request_id) ?? []), line]);
  for (const { headers, status, body } of replies) {
    const found = byId.get(headers.get('request-id') ?? '') ?? [];
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ status, operation: expect.any(String) });
    expect(found[0]?.error).toBe(body.error?.code);
  }
});

test('the line names the organization and the key by their IDs', () => {
  const requestId = replies[0]?.headers.get('request-id');
  expect(lines().find(({ request_id }) => request_id === requestId)).toMatchObject({
    organization: fixture.organization.id,
    key: fixture.organization.keyId,
  });
});

test('a line has the trace of the header traceparent, and none without it', async () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
  const { headers } = await fixture.organization.api.raw('GET', '/v1/touchpoints', { headers: { traceparent } });
  await sleep(FLUSHED_MS);
  const traceOf = (reply: Reply | undefined) =>
    lines().find(({ request_id }) => request_id === (reply?.headers ?? headers).get('request-id'))?.trace_id;
  expect(traceOf(undefined)).toBe(traceId);
  expect(traceOf(replies[0])).toBeUndefined();
});

test('the log contains no name, email address, phone number, text or key', () => {
  const output = fixture.service.output();
  expect(output).toContain('createTouchpointEvent');
  expectDiscreet(output);
  expect(output).not.toContain('14155550123');
  expect(output).not.toContain(fixture.organization.key.slice(0, -1));
});
