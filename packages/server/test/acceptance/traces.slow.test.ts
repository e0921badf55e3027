import { expect, test } from 'vitest';
import { HTTP_SECRET } from '../delivery/carrier-services.ts';
import { forFile, startCollector } from '../harness/index.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { anEvent, anIntro, createIntro, eventually, settled } from './support/actions.ts';
import { openService } from './support/service.ts';

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { key: string; value: { stringValue?: string; intValue?: number } }[];
  readonly status?: { code: number; message: string };
}

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';
const FAILED = 2;

const collector = await forFile(startCollector());
/** The carrier and the webhook endpoint. */
const partner = await forFile(
  startReceiver((response, { body }) => {
    response.writeHead(body === '' ? 404 : 202, { 'content-type': 'application/json' }).end('{"id":"own_1"}');
  }),
);
const partnerUrl = new URL(partner.url).origin;
const fixture = await forFile(
  openService({
    SMS_CARRIER: 'http',
    SMS_HTTP_URL: `${partnerUrl}/carrier`,
    SMS_HTTP_SECRET: HTTP_SECRET,
    LOG_LEVEL: 'debug',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_METRICS_EXPORTER: 'none',
    OTEL_TRACES_SAMPLER: 'parentbased_always_off',
  }),
);
const { id: org } = fixture.organization;
const anyHour = ['--texts-from', '00:00', '--texts-until', '24:00'];
await fixture.run('delivery', 'set', '--org', org, ...anyHour, '--text-test-recordings', 'true');
await fixture.run('touchpoint', 'set', '--org', org, 'project_kickoff', '--delivery', 'service');
expect((await fixture.api.post('/v1/webhook_endpoints', { url: `${partnerUrl}/webhooks` })).status).toBe(201);

interface Received {
  readonly path: string;
  readonly traceparent: string | undefined;
  readonly type: string | undefined;
}
const received = (): Received[] =>
  partner.received
    .filter(({ body }) => body !== '')
    .map(({ path, headers, body }) => ({ path, traceparent: headers.traceparent, type: JSON.parse(body).type }));

const spans = (): Span[] =>
  collector.received.flatMap(({ body }) =>
    JSON.parse(body).resourceSpans.flatMap(({ scopeSpans }: { scopeSpans: { spans: Span[] }[] }) =>
      scopeSpans.flatMap((scope) => scope.spans),
    ),
  );
const spansOf = (traceId: string) => spans().filter((span) => span.traceId === traceId);
const attribute = ({ attributes }: Span, name: string) => {
  const value = attributes.find(({ key }) => key === name)?.value;
  return value?.stringValue ?? value?.intValue?.toString();
};
const WEBHOOKS = ['touchpoint_event.processed', 'intro.requested', 'intro.ready', 'intro.sent'];
const EXPORTED = [
  ...['createTouchpointEvent', 'wait for a batch', 'commit events', 'process event', 'process take', 'send text'],
  ...WEBHOOKS.map((type) => `webhook ${type}`),
];
const traced = (traceId: string) => ({ traceparent: `00-${traceId}-${CALLER}-01` });

test('one trace has the request of the caller, the commit, the event, the take, the text and the webhooks', async () => {
  const body = anEvent({ recipient: { first_name: 'Dana', phone: '+14155550171' } });
  const response = await fixture.api.post('/v1/touchpoint-events', body, { headers: traced(TRACE) });
  expect(response.status).toBe(202);
  const event = await settled(fixture.api, response.body.id);
  expect(event.status).toBe('processed');
  const introId = event.intro;
  expect((await fixture.api.post(`/v1/test_helpers/intros/${introId}/record`)).status).toBe(202);
  await eventually(() => received().some(({ type }) => type === 'intro.sent'));
  // Processes export their spans in requests of their own.
  const own = await eventually(
    async () => spansOf(TRACE),
    (found) => EXPORTED.every((name) => found.some((span) => span.name === name)),
  );

  const named = (name: string) => {
    const found = own.filter((span) => span.name === name);
    expect(found.length, name).toBe(1);
    return found[0] as Span;
  };
  const request = named('createTouchpointEvent');
  expect(request).toMatchObject({ parentSpanId: CALLER, kind: 2 });
  expect(attribute(request, 'http.response.status_code')).toBe('202');
  for (const name of ['wait for a batch', 'commit events', 'process event'])
    expect(named(name).parentSpanId, name).toBe(request.spanId);
  const processed = named('process event');
  expect(attribute(processed, 'foreword.intro.id')).toBe(introId);
  expect(named('process take').parentSpanId).toBe(processed.spanId);

  const text = named('send text');
  expect(text).toMatchObject({ parentSpanId: processed.spanId, kind: 3 });
  expect(attribute(text, 'outcome')).toBe('accepted');
  const toCarrier = received().find(({ path }) => path === '/carrier');
  expect(toCarrier?.traceparent).toBe(`00-${TRACE}-${text.spanId}-01`);

  for (const type of WEBHOOKS) {
    const span = named(`webhook ${type}`);
    expect(attribute(span, 'http.response.status_code'), type).toBe('202');
    const webhook = received().find((one) => one.type === type);
    expect(webhook?.traceparent, type).toBe(`00-${TRACE}-${span.spanId}-01`);
  }
  for (const { startTimeUnixNano, endTimeUnixNano, status } of own) {
    expect(BigInt(startTimeUnixNano) <= BigInt(endTimeUnixNano)).toBe(true);
    expect(status?.code).not.toBe(FAILED);
  }
  const logged = () =>
    fixture.service
      .output()
      .split('\n')
      .filter((line) => line.includes(`"trace_id":"${TRACE}"`));
  // The request, the text and the webhooks.
  for (const part of ['"operation":"createTouchpointEvent"', '"purpose":"deliver"', '"type":"intro.sent"'])
    await eventually(async () => logged().some((line) => line.includes(part)), Boolean);
  const sent = collector.received.map(({ body }) => body).join();
  for (const secret of ['Dana', '4155550171', fixture.organization.key]) expect(sent).not.toContain(secret);
});

test('an intro created with the API continues the trace of its request, and one without a trace has none', async () => {
  const traceId = `${TRACE.slice(0, -1)}0`;
  const recipient = { first_name: 'Vera', phone: '+14155550172' };
  const response = await fixture.api.post('/v1/intros', anIntro({ recipient }), { headers: traced(traceId) });
  expect(response.status).toBe(201);
  const { id } = await createIntro(fixture.api, { recipient: { first_name: 'Ned', phone: '+14155550173' } });
  await expect
    .poll(() =>
      spansOf(traceId)
        .map(({ name }) => name)
        .sort(),
    )
    .toEqual(['commit intros', 'createIntro', 'wait for a batch', 'webhook intro.requested']);
  expect(JSON.stringify(spans())).not.toContain(id);
});

test('a request without a key is not traced, whatever its caller says', async () => {
  const traceId = `${TRACE.slice(0, -1)}1`;
  const { status } = await fetch(`${fixture.service.url}/v1/intros`, { headers: traced(traceId) });
  expect(status).toBe(401);
  const later = `${TRACE.slice(0, -1)}2`;
  await fixture.api.raw('GET', '/v1/members', { headers: traced(later) });
  await eventually(() => spansOf(later).length > 0);
  expect(spansOf(traceId)).toEqual([]);
});

test('a failing request has its error code, and spans of a failing collector are sent later', async () => {
  collector.respondWith(503);
  const traceId = `${TRACE.slice(0, -1)}3`;
  await fixture.api.raw('GET', '/v1/intros/int_unknown', { headers: traced(traceId) });
  const before = collector.received.length;
  await eventually(() => collector.received.length > before + 1);
  collector.respondWith(200);
  const after = collector.received.length;
  const isLater = ({ body }: { body: string }, i: number) => i >= after && body.includes(traceId);
  await eventually(async () => collector.received.some(isLater), Boolean);
  const [span] = spansOf(traceId);
  expect(span && attribute(span, 'error.type')).toBe('not_found');
});
