import { once } from 'node:events';
import http from 'node:http';
import type net from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createIntro, eventually, introOfEvent, sendEvent, settled } from './support/actions.ts';
import { openService, type ServiceFixture } from './support/service.ts';

const SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
const RECORDED_WITHIN_MS = 60_000;
const webhook = new Webhook(SECRET);

interface Text {
  readonly id: string;
  readonly to: string;
  readonly body: string;
  readonly status_url: string;
}

let fixture: ServiceFixture;
let carrier: http.Server;
const texts: Text[] = [];

beforeAll(async () => {
  carrier = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.method !== 'POST') {
      response.writeHead(404).end();
      return;
    }
    // Throws if the signature is invalid. Then no text is recorded, and the tests fail.
    const text = webhook.verify(Buffer.concat(chunks).toString(), request.headers as Record<string, string>) as Text;
    texts.push(text);
    response.writeHead(202, { 'content-type': 'application/json' }).end(JSON.stringify({ id: `own_${texts.length}` }));
  });
  carrier.listen(0, '127.0.0.1');
  await once(carrier, 'listening');
  const url = `http://127.0.0.1:${(carrier.address() as net.AddressInfo).port}`;
  fixture = await openService({ SMS_CARRIER: 'http', SMS_HTTP_URL: url, SMS_HTTP_SECRET: SECRET });
  const { id } = fixture.organization;
  const anyHour = ['--texts-from', '00:00', '--texts-until', '24:00'];
  await fixture.run('delivery', 'set', '--org', id, ...anyHour, '--text-test-recordings', 'true');
});
afterAll(async () => {
  await fixture.close();
  carrier.closeAllConnections();
  carrier.close();
});

const to = (phone: string, more: object = {}) => ({ recipient: { first_name: 'Dana', phone }, ...more });
const byService = { delivery: { responsibility: 'service' } };
const retrieve = async (id: string) => (await fixture.api.get(`/v1/intros/${id}`)).body;

async function postSigned(path: string, body: object, key = webhook): Promise<Response> {
  const text = JSON.stringify(body);
  const at = new Date();
  return fetch(fixture.service.url + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': 'call',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': key.sign('call', at, text),
    },
    body: text,
  });
}
const reply = (from: string, body: string, key?: Webhook) => postSigned('/carriers/http/inbound', { from, body }, key);

async function recorded(id: string, isDone: (intro: { status: string; delivery: { error: unknown } }) => boolean) {
  expect((await fixture.api.post(`/v1/test_helpers/intros/${id}/record`)).status).toBe(202);
  return eventually(() => retrieve(id), isDone, RECORDED_WITHIN_MS);
}

test('a recipient who replies STOP gets no texts until START, no matter how the intro was created', async () => {
  const phone = '+14155550131';
  const first = await createIntro(fixture.api, to(phone, byService));
  expect(first.recipient_opted_out).toBe(false);
  await recorded(first.id, ({ status }) => status === 'sent');
  expect(texts).toMatchObject([{ to: phone }]);
  expect(texts[0]?.body).toContain('Reply STOP to opt out.');

  expect((await reply(phone, 'Stop!', new Webhook(Buffer.alloc(32).toString('base64')))).status).toBe(403);
  expect((await retrieve(first.id)).recipient_opted_out).toBe(false);
  const answer = (await (await reply(phone, 'Stop!')).json()) as { reply: string };
  expect(answer.reply).toContain('Reply START');
  expect((await retrieve(first.id)).recipient_opted_out).toBe(true);

  // An event that the service would deliver fails.
  const slug = 'project_kickoff';
  await fixture.run('touchpoint', 'set', '--org', fixture.organization.id, slug, '--delivery', 'service');
  const event = await settled(fixture.api, (await sendEvent(fixture.api, to(phone, { touchpoint: slug }))).id);
  expect(event).toMatchObject({ status: 'failed', intro: null, error: { code: 'recipient_opted_out' } });

  // If the integration delivers, the intro is created, marked as opted out.
  await fixture.run('touchpoint', 'set', '--org', fixture.organization.id, slug, '--delivery', 'integration');
  const marked = await introOfEvent(fixture.api, to(phone, { touchpoint: slug }));
  expect(marked).toMatchObject({ status: 'requested', recipient_opted_out: true });

  // An intro created directly stays ready, with the reason.
  const direct = await createIntro(fixture.api, to(phone, byService));
  expect(direct).toMatchObject({ status: 'requested', recipient_opted_out: true });
  const held = await recorded(direct.id, ({ delivery }) => delivery.error !== null);
  expect(held).toMatchObject({ status: 'ready', delivery: { error: { code: 'recipient_opted_out' } } });
  expect(texts).toHaveLength(1);

  await reply(phone, 'START');
  expect((await retrieve(direct.id)).recipient_opted_out).toBe(false);
  const again = await createIntro(fixture.api, to(phone, byService));
  await recorded(again.id, ({ status }) => status === 'sent');
  expect(texts).toHaveLength(2);
}, 200_000);

test("an opt-out does not apply to another organization's recipients", async () => {
  const phone = '+14155550132';
  const ours = await createIntro(fixture.api, to(phone, byService));
  await recorded(ours.id, ({ status }) => status === 'sent');
  await reply(phone, 'QUIT');
  const other = await fixture.newOrganization({ name: 'Other Roofing' });
  const theirs = await createIntro(other.api, to(phone));
  expect(theirs.recipient_opted_out).toBe(false);
  expect((await retrieve(ours.id)).recipient_opted_out).toBe(true);
}, 100_000);

test('carrier reports update the intro, in any order and when repeated', async () => {
  const phone = '+14155550133';
  const { id } = await createIntro(fixture.api, to(phone, byService));
  await recorded(id, ({ status }) => status === 'sent');
  const statusPath = new URL(texts.find((text) => text.to === phone)?.status_url ?? '').pathname;
  const undelivered = { status: 'undelivered', code: 'unreachable_number', message: 'a landline' };
  for (let i = 0; i < 2; i++) expect((await postSigned(statusPath, undelivered)).status).toBe(204);
  const { delivery, version } = await retrieve(id);
  expect(delivery.error).toMatchObject({ code: 'unreachable_number' });
  expect((await postSigned(statusPath, { status: 'accepted' })).status).toBe(204);
  expect((await retrieve(id)).version).toBe(version);
  expect((await postSigned(statusPath, { status: 'delivered' })).status).toBe(204);
  expect((await retrieve(id)).delivery.error).toBeNull();
  const forged = statusPath.slice(0, -1) + (statusPath.endsWith('0') ? '1' : '0');
  expect((await postSigned(forged, undelivered)).status).toBe(404);
}, 100_000);
