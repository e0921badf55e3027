import path from 'node:path';
import vm from 'node:vm';
import { gzipSync } from 'node:zlib';
import { Webhook } from 'standardwebhooks';
import { build, type Rolldown } from 'vite';
import { beforeAll, expect, test } from 'vitest';
import type * as Sdk from '../src/index.ts';

const MAX_KB = 12;
/** All that the SDK needs; Node 20, Deno, Bun, workers and browsers have it. */
const WEB = { AbortController, TextDecoder, TextEncoder, URL, atob, clearTimeout, crypto, setTimeout };
const CONNECTION = { apiKey: 'fw_test_1', baseUrl: 'https://foreword.example' };

/** The SDK as one script for a page; without the numbering plans if they are replaced. */
async function bundle({ phonePlans }: { phonePlans: boolean }): Promise<string> {
  const { output } = (await build({
    configFile: false,
    logLevel: 'error',
    plugins: [
      {
        name: 'without-phone-plans',
        transform: (_code, id) =>
          !phonePlans && id.endsWith('/phone-plans.ts') ? 'export const PHONE_PLANS = {};' : null,
      },
    ],
    build: {
      write: false,
      target: 'es2022',
      minify: true,
      modulePreload: false,
      rolldownOptions: {
        input: path.join(import.meta.dirname, '../src/index.ts'),
        preserveEntrySignatures: 'strict',
        output: { format: 'iife', name: 'sdk', exports: 'named' },
      },
    },
  })) as Rolldown.RolldownOutput;
  const [chunk, ...more] = output;
  if (more.length > 0 || chunk.imports.length > 0) throw new Error(`imports ${chunk.imports.join(', ')}`);
  return chunk.code;
}

let code: string;
/** The SDK in a context that has nothing of Node. */
const load = (globals: object): typeof Sdk => {
  const context = vm.createContext({ ...WEB, ...globals });
  return vm.runInContext(`${code};sdk`, context) as typeof Sdk;
};

beforeAll(async () => {
  code = await bundle({ phonePlans: true });
});

test(`the bundle has at most ${MAX_KB} KB without the numbering plans, compressed`, async () => {
  const kilobytes = gzipSync(await bundle({ phonePlans: false })).length / 1000;
  expect(kilobytes).toBeLessThanOrEqual(MAX_KB);
  // Guards against a bundle that lost its content.
  expect(kilobytes).toBeGreaterThan(4);
});

test('the bundle names no module and no global of Node', () => {
  expect(code).not.toMatch(/node:|\brequire\(|\bprocess\.|\bBuffer\b|\bimport\(/);
});

test('the SDK sends, retries and pages in a context that has only globals of the web', async () => {
  const responses = [
    new Response('{}', { status: 503, headers: { 'retry-after': '0' } }),
    Response.json({ data: [{ id: 'int_1' }], has_more: true }),
    Response.json({ data: [{ id: 'int_2' }], has_more: false }),
  ];
  const { Foreword } = load({ fetch: async () => responses.shift() });
  const ids: string[] = [];
  for await (const { id } of new Foreword(CONNECTION).intros.list()) ids.push(id);
  expect(ids).toEqual(['int_1', 'int_2']);
});

test('the SDK verifies webhooks and reads phone numbers with only globals of the web', async () => {
  const { Foreword, ForewordWebhookError } = load({});
  const secret = `whsec_${'QUJD'.repeat(8)}`;
  const body = '{"type":"webhook.test","data":{}}';
  const now = new Date();
  const headers = new Headers({
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('msg_1', now, body),
  });
  const { webhooks } = new Foreword({ ...CONNECTION, webhookSecret: secret });
  expect((await webhooks.verify(body, headers)).type).toBe('webhook.test');
  expect((await webhooks.verify(new TextEncoder().encode(body), headers)).id).toBe('msg_1');
  await expect(webhooks.verify(`${body} `, headers)).rejects.toBeInstanceOf(ForewordWebhookError);
  expect(Foreword.toE164('(415) 555-0123 x4', 'US')).toBe('+14155550123');
});

test('without fetch it says which option replaces it', async () => {
  const { Foreword } = load({});
  await expect(new Foreword(CONNECTION).events.retrieve('evt_1')).rejects.toThrow('fetch is required');
});
