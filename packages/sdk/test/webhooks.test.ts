import { createHmac } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { Foreword, ForewordWebhookError, type IntroReadyPayload, verifyWebhook } from '../src/index.ts';

const SECRET = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`;
const OTHER = `whsec_${Buffer.from('fedcba9876543210fedcba9876543210').toString('base64')}`;
const ID = 'msg_01kahzv8e1f0rtx5m2q6n9d3bw';
const BODY = '{"type":"intro.ready","timestamp":"2026-03-12T19:30:00.000Z","data":{"id":"int_1","first_name":"Zoë"}}';

const foreword = new Foreword({ apiKey: 'fw_test_1', baseUrl: 'https://foreword.example', webhookSecret: SECRET });

function headersOf(body = BODY, secret = SECRET, atMs = Date.now()) {
  const at = new Date(atMs);
  return {
    'webhook-id': ID,
    'webhook-timestamp': String(Math.floor(atMs / 1000)),
    'webhook-signature': new Webhook(secret).sign(ID, at, body),
  };
}

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'accepted',
    (error: unknown) => (error instanceof ForewordWebhookError ? error.code : error),
  );

test.each<[string, (headers: Record<string, string>) => Parameters<typeof verifyWebhook>[1]]>([
  ['of fetch', (headers) => new Headers(headers)],
  ['of Node', (headers) => ({ host: 'crm.example', ...headers, 'set-cookie': ['a', 'b'] })],
  [
    'with capitals',
    (headers) => ({
      'Webhook-Id': ID,
      'WEBHOOK-TIMESTAMP': headers['webhook-timestamp'],
      'Webhook-Signature': headers['webhook-signature'],
    }),
  ],
  ['with lists', (headers) => Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))],
])('headers %s are read', async (_name, convert) => {
  const webhook = await foreword.webhooks.verify(BODY, convert(headersOf()));
  expect(webhook).toEqual({ ...JSON.parse(BODY), id: ID });
});

test('the body can be text or bytes, including a part of a larger buffer', async () => {
  const bytes = new TextEncoder().encode(BODY);
  const larger = Buffer.concat([Buffer.from('before'), bytes, Buffer.from('after')]);
  const part = larger.subarray(6, 6 + bytes.length);
  for (const body of [BODY, bytes, Buffer.from(BODY), part, bytes.buffer.slice(0)] as const)
    expect((await foreword.webhooks.verify(body as string, headersOf())).type).toBe('intro.ready');
});

test('each type has the payload that belongs to it', async () => {
  const webhook = await foreword.webhooks.verify(BODY, headersOf());
  if (webhook.type !== 'intro.ready') throw new Error(webhook.type);
  const data: IntroReadyPayload['data'] = webhook.data;
  expect(data.id).toBe('int_1');
  const { webhooks } = JSON.parse(fs.readFileSync(path.join(import.meta.dirname, '../../../openapi.json'), 'utf8'));
  const types = fs.readFileSync(path.join(import.meta.dirname, '../src/generated/types.ts'), 'utf8');
  const union = types.slice(types.indexOf('export type WebhookPayload'));
  expect(union.match(/^ {2}\| \w+Payload/gm)).toHaveLength(Object.keys(webhooks).length);
});

test('a change of the body, the id, the time or the secret is refused', async () => {
  const headers = headersOf();
  const verify = foreword.webhooks.verify.bind(foreword.webhooks);
  expect(await codeOf(verify(BODY, headers))).toBe('accepted');
  expect(await codeOf(verify(BODY.replace('int_1', 'int_2'), headers))).toBe('invalid_signature');
  expect(await codeOf(verify(`${BODY} `, headers))).toBe('invalid_signature');
  expect(await codeOf(verify(BODY, { ...headers, 'webhook-id': 'msg_2' }))).toBe('invalid_signature');
  const later = String(Number(headers['webhook-timestamp']) + 1);
  expect(await codeOf(verify(BODY, { ...headers, 'webhook-timestamp': later }))).toBe('invalid_signature');
  expect(await codeOf(verify(BODY, headers, { secret: OTHER }))).toBe('invalid_signature');
  const signature = headers['webhook-signature'];
  for (const wrong of ['v1,', 'v1,*', 'v1', signature.replace('v1,', 'v2,'), signature.slice(0, -5), 'v1,AAAA'])
    expect(await codeOf(verify(BODY, { ...headers, 'webhook-signature': wrong }))).toBe('invalid_signature');
});

test('during a rotation, either side may have two secrets', async () => {
  const [mine, other] = [headersOf()['webhook-signature'], headersOf(BODY, OTHER)['webhook-signature']];
  const both = { ...headersOf(), 'webhook-signature': `${other} v1a,abc ${mine}` };
  expect(await codeOf(foreword.webhooks.verify(BODY, both))).toBe('accepted');
  expect(await codeOf(verifyWebhook(BODY, headersOf(BODY, OTHER), { secret: [SECRET, OTHER] }))).toBe('accepted');
  expect(await codeOf(verifyWebhook(BODY, headersOf(BODY, OTHER), { secret: [SECRET] }))).toBe('invalid_signature');
});

test.each([
  [-301, 'timestamp_too_old'],
  [-299, 'accepted'],
  [299, 'accepted'],
  [302, 'timestamp_too_new'],
])('a webhook of %i seconds from now: %s', async (seconds, expected) => {
  const headers = headersOf(BODY, SECRET, Date.now() + seconds * 1000);
  expect(await codeOf(foreword.webhooks.verify(BODY, headers))).toBe(expected);
});

test('a parsed, missing or awaited body gets a message that says what to pass', async () => {
  const verify = (body: unknown) => foreword.webhooks.verify(body as string, headersOf());
  await expect(verify(JSON.parse(BODY))).rejects.toThrow(/raw body.*request\.text\(\), or express\.raw/);
  await expect(verify(undefined)).rejects.toMatchObject({ code: 'body_not_raw' });
  await expect(verify(null)).rejects.toThrow('not null');
  await expect(verify(Promise.resolve(BODY))).rejects.toThrow('await it');
  await expect(verify('')).rejects.toThrow('The body is empty');
});

test('problems of the setup have codes and messages of their own', async () => {
  const bare = new Foreword({ apiKey: 'fw_test_1', baseUrl: 'https://foreword.example' });
  expect(await codeOf(bare.webhooks.verify(BODY, headersOf()))).toBe('missing_secret');
  expect(await codeOf(bare.webhooks.verify(BODY, headersOf(), { secret: [] }))).toBe('missing_secret');
  expect(await codeOf(bare.webhooks.verify(BODY, headersOf(), { secret: 'whsec_ä' }))).toBe('invalid_secret');
  for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
    const missing = foreword.webhooks.verify(BODY, { ...headersOf(), [name]: undefined });
    await expect(missing).rejects.toMatchObject({ code: 'missing_header', message: expect.stringContaining(name) });
  }
  expect(await codeOf(foreword.webhooks.verify(BODY, undefined as never))).toBe('missing_header');
  const noNumber = { ...headersOf(), 'webhook-timestamp': '2026-03-12T19:30:00Z' };
  expect(await codeOf(foreword.webhooks.verify(BODY, noNumber))).toBe('invalid_timestamp');
});

test('a signed body that is no webhook is refused', async () => {
  for (const body of ['[]', 'null', '{}', '{"type":', '\ufffd'])
    expect(await codeOf(foreword.webhooks.verify(body, headersOf(body)))).toBe('invalid_payload');
  const bytes = Buffer.from([0xff, 0xfe]);
  const at = String(Math.floor(Date.now() / 1000));
  const key = Buffer.from(SECRET.slice(6), 'base64');
  const signature = createHmac('sha256', key)
    .update(Buffer.concat([Buffer.from(`${ID}.${at}.`), bytes]))
    .digest('base64');
  const headers = { 'webhook-id': ID, 'webhook-timestamp': at, 'webhook-signature': `v1,${signature}` };
  expect(await codeOf(foreword.webhooks.verify(bytes, headers))).toBe('invalid_payload');
});
