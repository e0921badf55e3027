import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { forFile, freePort, openService } from '../../packages/server/test/harness/index.ts';
import { type CrmRoute, startCrmServer } from './crm-server.ts';
import { runToExit, startRecipe } from './recipe-process.ts';

// Plivo's message API, as https://www.plivo.com/docs/messaging/api/message documents it.

const SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
// An invented account id: Plivo's ids have this form.
const AUTH_ID = 'MAFOREWORDTEST000001';
const AUTH_TOKEN = 'a token of the account';
const FROM = '+15005550100';
/** Encoding takes seconds, and more on a busy machine. */
const RECORDED_WITHIN_MS = 100_000;
const PUBLIC_URL = 'https://texts.acme.example';
const FIELDS = ['src', 'dst', 'text', 'url', 'method'];

const webhook = new Webhook(SECRET);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'foreword-carrier-'));
afterAll(() => fs.rmSync(folder, { recursive: true }));
const route: CrmRoute = {
  method: 'POST',
  path: /^\/v1\/Account\/(\w+)\/Message\/$/,
  answer({ body }) {
    const unknown = Object.keys(body).filter((name) => !FIELDS.includes(name));
    if (unknown.length > 0) throw new Error(`fields ${unknown.join(', ')}`);
    const message_uuid = [`uuid-${crypto.randomUUID()}`];
    return { status: 202, json: { api_id: 'id', message: 'message(s) queued', message_uuid } };
  },
};
const plivo = await forFile(
  startCrmServer([route], ({ headers }) => {
    const expected = Buffer.from(`${AUTH_ID}:${AUTH_TOKEN}`).toString('base64');
    if (headers.authorization !== `Basic ${expected}`) throw new Error('credentials');
  }),
  async (server) => {
    await server.close();
    expect(server.violations).toEqual([]);
  },
);

const settings = (port: number, more: Record<string, string> = {}) => ({
  PORT: String(port),
  SMS_HTTP_SECRET: SECRET,
  PROVIDER: 'plivo',
  PLIVO_AUTH_ID: AUTH_ID,
  PLIVO_AUTH_TOKEN: AUTH_TOKEN,
  PLIVO_FROM: FROM,
  PLIVO_API_URL: plivo.url,
  FOREWORD_URL: 'http://127.0.0.1:1',
  PUBLIC_URL,
  DATA_DIR: fs.mkdtempSync(path.join(folder, 'data-')),
  ...more,
});

async function call(base: string, method: 'GET' | 'POST', target: string, body = '', key = webhook) {
  const at = new Date();
  const headers = {
    'webhook-id': 'call',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': key.sign('call', at, body),
  };
  const response = await fetch(base + target, { method, headers, ...(method === 'POST' && { body }) });
  const text = await response.text();
  return {
    status: response.status,
    json: text === '' ? null : JSON.parse(text),
    retryAfter: response.headers.get('retry-after'),
  };
}

const textOf = (id: string) =>
  JSON.stringify({ id, to: '+14155550131', body: 'Hi', status_url: 'http://127.0.0.1:1/carriers/status/org/msg' });

/** A call of Plivo, with its signature of version 2. */
async function fromPlivo(base: string, target: string, fields: Record<string, string>, token = AUTH_TOKEN) {
  const nonce = '12345';
  const signature = createHmac('sha256', token)
    .update(PUBLIC_URL + target + nonce)
    .digest('base64');
  const headers = { 'x-plivo-signature-v2': signature, 'x-plivo-signature-v2-nonce': nonce };
  const response = await fetch(base + target, { method: 'POST', headers, body: new URLSearchParams(fields) });
  return { status: response.status, body: await response.text() };
}

describe('the protocol', async () => {
  const carrier = await forFile(startRecipe('http-carrier', settings(await freePort())), async (opened) => {
    expect(await opened.stop()).toBe(0);
    expect(opened.output()).not.toMatch(/\+1\d{10}|whsec_/);
  });
  const send = (id: string) => call(carrier.url, 'POST', '/', textOf(id));
  const query = async (id: string) => (await call(carrier.url, 'GET', `/${id}`)).status;

  test('a message is handed to the provider once, however often it is sent', async () => {
    const before = plivo.calls.length;
    const first = await send('msg_1');
    expect(first).toMatchObject({ status: 202, json: { id: expect.stringMatching(/^uuid-/) } });
    expect(await send('msg_1')).toMatchObject(first);
    expect(plivo.calls).toHaveLength(before + 1);
    expect(plivo.calls.at(-1)?.body).toEqual({
      src: FROM,
      dst: '+14155550131',
      text: 'Hi',
      url: `${PUBLIC_URL}/provider/status/msg_1`,
      method: 'POST',
    });
    expect(await call(carrier.url, 'GET', '/msg_1')).toMatchObject({ status: 200, json: first.json });
  });

  test('a forged call gets a 401, and nothing is sent', async () => {
    const before = plivo.calls.length;
    const forger = new Webhook(Buffer.alloc(32).toString('base64'));
    expect((await call(carrier.url, 'POST', '/', textOf('msg_2'), forger)).status).toBe(401);
    expect((await call(carrier.url, 'GET', '/', '', forger)).status).toBe(401);
    expect((await call(carrier.url, 'GET', '/')).status).toBe(200);
    expect((await call(carrier.url, 'POST', '/', '{"id":"msg_2"}')).status).toBe(400);
    expect(plivo.calls).toHaveLength(before);
  });

  test.each([
    [429, 503],
    [401, 403],
  ])(
    'a provider that responds %s did not get the text: Foreword sees %s, and may send it again',
    async (given, seen) => {
      plivo.interrupt('/Message/', [{ status: given, json: {} }]);
      const id = `msg_after_${given}`;
      expect((await send(id)).status).toBe(seen);
      expect(await query(id)).toBe(404);
      expect((await send(id)).status).toBe(202);
    },
  );

  test('a rejected text stays rejected', async () => {
    plivo.interrupt('/Message/', [{ status: 400, json: { error: 'dst is not valid' } }]);
    for (let i = 0; i < 2; i++) {
      expect(await send('msg_3')).toMatchObject({ status: 422, json: { message: 'dst is not valid' } });
    }
  });

  test('a text that the provider may have is never sent again, and a report of the provider settles it', async () => {
    plivo.interrupt('/Message/', [{ status: 500, json: {} }]);
    const before = plivo.calls.length;
    for (let i = 0; i < 2; i++) expect((await send('msg_4')).status).toBe(502);
    expect(await query('msg_4')).toBe(405);
    expect(plivo.calls).toHaveLength(before + 1);
    // Foreword is not there, so that Plivo has to repeat the report.
    const report = { MessageUUID: 'uuid-late', Status: 'sent' };
    expect((await fromPlivo(carrier.url, '/provider/status/msg_4', report)).status).toBe(503);
    expect(await call(carrier.url, 'GET', '/msg_4')).toMatchObject({ status: 200, json: { id: 'uuid-late' } });
    expect((await fromPlivo(carrier.url, '/provider/status/msg_4', report, 'another token')).status).toBe(403);
  });
});

test('a kill while the provider has the text leads to no second text; a cut line of the journal is skipped', async () => {
  let received = 0;
  const silent: Server = createServer(() => {
    received += 1;
  }).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const silentUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const environment = settings(await freePort(), { PLIVO_API_URL: silentUrl });
  const killed = await startRecipe('http-carrier', environment);
  const sending = call(killed.url, 'POST', '/', textOf('msg_5')).catch(() => null);
  await expect.poll(() => received).toBe(1);
  await killed.kill();
  await sending;
  fs.appendFileSync(path.join(environment.DATA_DIR, 'messages.jsonl'), '{"id":"msg_6","sta');
  const again = await startRecipe('http-carrier', { ...environment, PLIVO_API_URL: plivo.url });
  expect((await call(again.url, 'POST', '/', textOf('msg_5'))).status).toBe(502);
  expect((await call(again.url, 'GET', '/msg_5')).status).toBe(405);
  expect((await call(again.url, 'POST', '/', textOf('msg_6'))).status).toBe(202);
  await again.kill();
  const restarted = await startRecipe('http-carrier', environment);
  expect((await call(restarted.url, 'GET', '/msg_6')).status).toBe(200);
  expect(received).toBe(1);
  await restarted.kill();
  silent.closeAllConnections();
  silent.close();
});

test.each([
  [{ SMS_HTTP_SECRET: 'short' }, 'SMS_HTTP_SECRET'],
  [{ PLIVO_FROM: '' }, 'PLIVO_FROM'],
  [{ PROVIDER: 'pigeon' }, 'PROVIDER'],
  [{ PUBLIC_URL: '' }, 'PUBLIC_URL'],
])('exits with 78 and names the variable: %j', async (wrong, name) => {
  const { code, output } = await runToExit('http-carrier', settings(8080, wrong));
  expect({ code, output }).toEqual({ code: 78, output: expect.stringContaining(name) });
});

test('with Foreword: a text is sent and delivered, HELP is answered, and STOP opts out', async () => {
  const port = await freePort();
  const carrierSettings = { SMS_CARRIER: 'http', SMS_HTTP_URL: `http://127.0.0.1:${port}`, SMS_HTTP_SECRET: SECRET };
  const fixture = await openService(carrierSettings);
  onTestFinished(() => fixture.close());
  const carrier = await startRecipe('http-carrier', settings(port, { FOREWORD_URL: fixture.service.url }));
  onTestFinished(async () => void (await carrier.stop()));
  const anyHour = ['--texts-from', '00:00', '--texts-until', '24:00'];
  await fixture.run('delivery', 'set', '--org', fixture.organization.id, ...anyHour, '--text-test-recordings', 'true');
  const { api } = fixture;
  const phone = '+14155550131';
  const [member] = (await api.get('/v1/members')).body.data;
  const intro = await api.post('/v1/intros', {
    member: { id: member.id },
    recipient: { first_name: 'Dana', phone },
    delivery: { responsibility: 'service' },
  });
  expect(intro.status).toBe(201);
  const target = `/v1/intros/${intro.body.id}`;
  expect((await api.post(`/v1/test_helpers/intros/${intro.body.id}/record`)).status).toBe(202);
  await expect.poll(async () => (await api.get(target)).body.status, { timeout: RECORDED_WITHIN_MS }).toBe('sent');
  const sent = plivo.calls.at(-1)?.body;
  expect(sent).toMatchObject({ dst: phone, text: expect.stringContaining('Reply STOP') });
  const status = new URL(sent.url).pathname;
  const { json } = await call(carrier.url, 'GET', `/${status.split('/').at(-1)}`);
  const uuid = { MessageUUID: json.id, From: FROM.slice(1), To: phone.slice(1) };
  expect((await fromPlivo(carrier.url, status, { ...uuid, Status: 'delivered' })).status).toBe(200);
  const timeline = (await api.get(`${target}/timeline`)).body.data.map(({ type }: { type: string }) => type);
  expect(timeline).toContain('delivered');

  let texts = 0;
  const reply = (Text: string, token?: string, MessageUUID = `uuid ${texts++}`) => {
    const fields = { From: phone.slice(1), To: FROM.slice(1), Text, Type: 'sms', MessageUUID };
    return fromPlivo(carrier.url, '/provider/inbound', fields, token);
  };
  expect((await reply('HELP')).body).toContain(`<Message src="${FROM}" dst="${phone}">`);
  for (let i = 0; i < 2; i++) {
    expect((await reply('Thanks', undefined, 'the same')).body).toContain('<Response></Response>');
  }
  expect((await api.get(target)).body.reply).toMatchObject({ type: 'message', message: 'Thanks', channel: 'text' });
  expect((await reply('STOP', 'another token')).status).toBe(403);
  expect((await api.get(target)).body.recipient_opted_out).toBe(false);
  expect((await reply('STOP')).body).toContain('opted out');
  expect((await api.get(target)).body.recipient_opted_out).toBe(true);
});
