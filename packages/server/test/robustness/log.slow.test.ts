import { once } from 'node:events';
import net from 'node:net';
import { expect, test } from 'vitest';
import { APPOINTMENT, anEvent, anIntro, eventually, settled } from '../acceptance/support/actions.ts';
import { expectDiscreet } from '../acceptance/support/service.ts';
import { createApi, forFile, logLines, openService, type Reply } from '../harness/index.ts';
import { exchange } from './socket.ts';

interface Line {
  level?: string;
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
const lines = () => logLines<Line>(fixture.service);
const lineOf = ({ headers }: { headers: Headers }) => {
  const id = headers.get('request-id');
  return eventually(
    async () => lines().filter(({ request_id }) => request_id === id),
    ({ length }) => length > 0,
  );
};

const replies = await callEverything();

test('every response, including errors, has a unique Request-Id', () => {
  const ids = replies.map(({ headers }) => headers.get('request-id'));
  for (const id of ids) expect(id).toMatch(/^req_[0-9a-z]{26}$/);
  expect(new Set(ids).size).toBe(replies.length);
  expect([...new Set(replies.map(({ status }) => status))].sort()).toEqual([
    200, 201, 202, 401, 404, 405, 409, 415, 422,
  ]);
});

test('that ID is in exactly one log line, with the operation, status and error code', async () => {
  for (const reply of replies) {
    const found = await lineOf(reply);
    expect(found).toEqual([expect.objectContaining({ status: reply.status, operation: expect.any(String) })]);
    expect(found[0]?.error).toBe(reply.body.error?.code);
  }
});

test('the line names the organization and the key by their IDs', async () => {
  const [line] = await lineOf(replies[0] as Reply);
  expect(line).toMatchObject({ organization: fixture.organization.id, key: fixture.organization.keyId });
});

test('a line has the trace of the header traceparent, and none without it', async () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
  const traced = await fixture.api.raw('GET', '/v1/touchpoints', { headers: { traceparent } });
  expect((await lineOf(traced))[0]?.trace_id).toBe(traceId);
  expect((await lineOf(replies[0] as Reply))[0]?.trace_id).toBeUndefined();
});

test('a request whose body breaks off is logged once, and not as an error of the service', async () => {
  const { hostname, port } = new URL(fixture.service.url);
  const socket = net.connect({ host: hostname, port: Number(port) });
  await once(socket, 'connect');
  socket.write(
    `POST /v1/members HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${fixture.organization.key}\r\nIdempotency-Key: broken\r\n` +
      'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"first_name":',
    () => socket.destroySoon(),
  );
  const logged = await eventually(
    async () => lines().filter(({ operation }) => operation === 'createMember'),
    (found) => found.length > 0,
  );
  expect(logged).toEqual([expect.objectContaining({ level: 'info', status: 400, error: 'malformed_request' })]);
});

test('bytes that are not a request also get a request id and a log line', async () => {
  const [reply] = await exchange(fixture.service.url, 'nonsense\r\n\r\n');
  expect([reply?.status, reply?.headers.get('request-id')]).toEqual([400, expect.stringMatching(/^req_[0-9a-z]{26}$/)]);
  expect(await lineOf(reply as Reply)).toEqual([expect.objectContaining({ status: 400 })]);
  expect(lines().filter(({ level }) => level === 'error')).toEqual([]);
});

test('the log contains no name, email address, phone number, text or key', () => {
  const output = fixture.service.output();
  expect(output).toContain('createTouchpointEvent');
  expectDiscreet(output);
  expect(output).not.toContain('14155550123');
  expect(output).not.toContain(fixture.organization.key.slice(0, -1));
});
