import { expect, test } from 'vitest';
import { HTTP_SECRET, startHttpService } from '../delivery/carrier-services.ts';
import { freePort } from '../harness/index.ts';
import { anEvent, createIntro, eventually, sendEvent, settled } from './support/actions.ts';
import { openService } from './support/service.ts';

const TOKEN = 'a-token-of-the-metrics';
const read = (url: string, authorization?: string) =>
  fetch(`${url}/metrics`, { headers: authorization === undefined ? {} : { authorization } });

test('requests are counted by operation and status, and events by outcome, without IDs or personal data', async () => {
  const alone = await openService({ FOREWORD_ROLE: 'all' });
  const { id } = await sendEvent(alone.api);
  await settled(alone.api, id);
  const intro = await createIntro(alone.api);
  await alone.api.post('/v1/touchpoint-events', anEvent({ touchpoint: 'no_such' }));
  const metrics = await (await fetch(`${alone.service.url}/metrics`)).text();
  for (const name of [
    'foreword_http_request_duration_seconds_bucket',
    'foreword_flush_size_bucket',
    'foreword_events_settled_total{status="processed"} 1',
    'foreword_intros_expired_total 0',
    'foreword_queue_depth',
    'foreword_oldest_accepted_event_seconds 0',
    'foreword_http_request_duration_seconds_count{operation="createTouchpointEvent",status="202"} 1',
    'foreword_http_request_duration_seconds_count{operation="createTouchpointEvent",status="422"} 1',
    'foreword_http_request_duration_seconds_count{operation="createIntro",status="201"} 1',
  ]) {
    expect(metrics).toContain(name);
  }
  for (const secret of [id, intro.id, alone.organization.id, alone.organization.key, 'Dana', '4155550123']) {
    expect(metrics).not.toContain(secret);
  }
  await alone.close();
});

test('with METRICS_TOKEN, only those who send it read the metrics', async () => {
  const { service, close } = await openService({ FOREWORD_ROLE: 'all', METRICS_TOKEN: TOKEN });
  for (const given of [undefined, 'Bearer', `Bearer ${TOKEN}x`, `Basic ${TOKEN}`, TOKEN]) {
    const refused = await read(service.url, given);
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect(await refused.text()).toMatch(/METRICS_TOKEN/);
  }
  const shown = await read(service.url, `Bearer ${TOKEN}`);
  expect(shown.status).toBe(200);
  expect(await shown.text()).toContain('foreword_queue_depth');
  await close();
});

test('with METRICS_PORT, the metrics are on that port only, and nothing else is', async () => {
  const port = await freePort();
  const own = `http://127.0.0.1:${port}`;
  const { service, close } = await openService({ FOREWORD_ROLE: 'all', METRICS_PORT: `${port}` });
  expect((await read(service.url)).status).toBe(404);
  expect((await read(own)).status).toBe(200);
  for (const path of ['/', '/healthz', '/v1/intros', '/console']) expect((await fetch(own + path)).status).toBe(404);
  await close();
  await expect(read(own)).rejects.toThrow();
});

test('an event is measured from its acceptance, a text from when it was due, and every counter starts at zero', async () => {
  const carrier = await startHttpService();
  const texts = { SMS_CARRIER: 'http', SMS_HTTP_URL: carrier.url, SMS_HTTP_SECRET: HTTP_SECRET };
  const { service, api, run, close } = await openService({ FOREWORD_ROLE: 'all', ...texts });
  const member = ['--first-name', 'Bo', '--last-name', 'Ek', '--email', 'bo@acme.example', '--external-id', 'rep_18'];
  await run('member', 'create', ...member, '--phone', '+14155550118');
  const metrics = async () => (await read(service.url)).text();
  for (const line of [
    'foreword_events_settled_total{status="failed"} 0',
    'foreword_messages_total{channel="text",outcome="undelivered"} 0',
    'foreword_webhook_attempts_total{outcome="delivered"} 0',
    'foreword_event_processing_seconds_count 0',
    'foreword_text_handover_seconds_count 0',
  ]) {
    expect(await metrics()).toContain(line);
  }
  await settled(api, (await sendEvent(api, { member: { external_id: 'rep_18' } })).id);
  for (const histogram of ['foreword_event_processing_seconds', 'foreword_text_handover_seconds']) {
    const found = await eventually(metrics, (text) => text.includes(`${histogram}_count 1`));
    const [, seconds] = new RegExp(`${histogram}_sum (\\S+)`).exec(found) ?? [];
    expect(Number(seconds)).toBeGreaterThan(0);
    expect(Number(seconds)).toBeLessThan(30);
  }
  expect(carrier.accepted.map(({ to }) => to)).toEqual(['+14155550118']);
  await close();
  await carrier.close();
});
