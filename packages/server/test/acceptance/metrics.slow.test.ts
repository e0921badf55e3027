import { expect, test } from 'vitest';
import { HTTP_SECRET, startHttpService } from '../delivery/carrier-services.ts';
import { forFile, freePort } from '../harness/index.ts';
import { anEvent, createIntro, eventually, sendEvent, settled } from './support/actions.ts';
import { openService } from './support/service.ts';

const TOKEN = 'a-token-of-the-metrics';
const read = (url: string, authorization?: string) =>
  fetch(`${url}/metrics`, { headers: authorization === undefined ? {} : { authorization } });

const carrier = await forFile(startHttpService());
// One process, because each counts for itself.
const fixture = await forFile(
  openService({
    FOREWORD_ROLE: 'all',
    SMS_CARRIER: 'http',
    SMS_HTTP_URL: carrier.url,
    SMS_HTTP_SECRET: HTTP_SECRET,
  }),
);
const { api, service, run } = fixture;
const metrics = async () => (await read(service.url)).text();

test('every counter starts at zero, and events and texts are measured from their acceptance and their due time', async () => {
  const initial = await metrics();
  for (const line of [
    'foreword_events_settled_total{status="failed"} 0',
    'foreword_messages_total{channel="text",outcome="undelivered"} 0',
    'foreword_webhook_attempts_total{outcome="delivered"} 0',
    'foreword_event_processing_seconds_count 0',
    'foreword_text_handover_seconds_count 0',
  ]) {
    expect(initial).toContain(line);
  }
  const member = ['--first-name', 'Bo', '--last-name', 'Ek', '--email', 'bo@acme.example', '--external-id', 'rep_18'];
  await run('member', 'create', ...member, '--phone', '+14155550118');
  const { id } = await sendEvent(api, { member: { external_id: 'rep_18' } });
  await settled(api, id);
  for (const histogram of ['foreword_event_processing_seconds', 'foreword_text_handover_seconds']) {
    const found = await eventually(metrics, (text) => text.includes(`${histogram}_count 1`));
    expect(Number(new RegExp(`${histogram}_sum (\\S+)`).exec(found)?.[1])).toBeGreaterThan(0);
  }
  expect(carrier.accepted.map(({ to }) => to)).toEqual(['+14155550118']);
});

test('requests are counted by operation and status, and events by outcome, without IDs or personal data', async () => {
  const intro = await createIntro(api);
  await api.post('/v1/touchpoint-events', anEvent({ touchpoint: 'no_such' }));
  const found = await metrics();
  for (const name of [
    'foreword_http_request_duration_seconds_bucket',
    'foreword_events_settled_total{status="processed"} 1',
    'foreword_queue_depth',
    'foreword_oldest_waiting_take_seconds 0',
    'foreword_replica_failing 0',
    'foreword_oldest_accepted_event_seconds 0',
    'foreword_http_request_duration_seconds_count{operation="createTouchpointEvent",status="202"} 1',
    'foreword_http_request_duration_seconds_count{operation="createTouchpointEvent",status="422"} 1',
    'foreword_http_request_duration_seconds_count{operation="createIntro",status="201"} 1',
  ]) {
    expect(found).toContain(name);
  }
  const { id, key } = fixture.organization;
  for (const secret of [intro.id, id, key, 'Dana', '4155550123']) expect(found).not.toContain(secret);
});

test('with METRICS_TOKEN, only those who send it read the metrics', async () => {
  const { url } = await fixture.newNode({ METRICS_TOKEN: TOKEN });
  for (const given of [undefined, 'Bearer', `Bearer ${TOKEN}x`, `Basic ${TOKEN}`, TOKEN]) {
    const refused = await read(url, given);
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect(await refused.text()).toMatch(/METRICS_TOKEN/);
  }
  const shown = await read(url, `Bearer ${TOKEN}`);
  expect(shown.status).toBe(200);
  expect(await shown.text()).toContain('foreword_queue_depth');
});

test('with METRICS_PORT, the metrics are on that port only, and nothing else is', async () => {
  const port = await freePort();
  const own = `http://127.0.0.1:${port}`;
  const node = await fixture.newNode({ METRICS_PORT: `${port}` });
  expect((await read(node.url)).status).toBe(404);
  expect((await read(own)).status).toBe(200);
  for (const path of ['/', '/healthz', '/v1/intros', '/console']) expect((await fetch(own + path)).status).toBe(404);
  await node.stop();
  await expect(read(own)).rejects.toThrow();
});
