import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { createApi, forewordProgram, forFile, runForeword, startService } from '../harness/index.ts';
import { makeDataDir } from './data-dir.ts';

const { dataDir, remove } = makeDataDir();
const environment = { DATA_DIR: dataDir, FOREWORD_DEMO: 'off', WEBHOOKS_ALLOW_PRIVATE: 'on' };
const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/;
const WITHIN = { timeout: 10_000 };
const received: { readonly id: string; readonly signatures: number }[] = [];

const run = (...args: string[]) => forewordProgram(environment, ...args);
const arrivals = (message: string) => received.filter((webhook) => webhook.id === message);

async function refused(...args: string[]): Promise<string> {
  const outcome = await runForeword(environment, ...args, '--json');
  expect(outcome).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^foreword: [^\n]+\n$/) });
  return outcome.stderr;
}

const receiver = createServer((request, response) => {
  const { 'webhook-id': message, 'webhook-signature': signature } = request.headers;
  received.push({ id: String(message), signatures: String(signature).split(' ').length });
  request.resume().on('end', () => response.writeHead(200).end());
});
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
const service = await forFile(startService(environment), (opened) => opened.stop());
const { id: org } = await run('org', 'create', '--name', 'Acme', '--industry', 'real_estate');
const { key } = await run('key', 'create', '--org', org);
const api = createApi(service.url, key);
const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
const { id, secret } = await run('webhook', 'create', '--org', org, '--url', url);

afterAll(async () => {
  receiver.closeAllConnections();
  await new Promise((resolve) => receiver.close(resolve));
  remove();
});

test('webhook show prints the endpoint as the API does, without its secret', async () => {
  const shown = await run('webhook', 'show', id);
  expect(shown).toEqual((await api.get(`/v1/webhook_endpoints/${id}`)).body);
  expect(shown).not.toHaveProperty('secret');
});

test('webhook set changes only the given fields, and an inactive endpoint cannot be replayed', async () => {
  const before = await run('webhook', 'show', id);
  const changed = await run('webhook', 'set', id, '--events', 'intro.ready', '--events', 'intro.sent');
  expect(changed).toEqual({ ...before, events: ['intro.ready', 'intro.sent'] });
  expect(await run('webhook', 'set', id, '--active', 'false')).toEqual({ ...changed, active: false });
  expect(await refused('webhook', 'replay', id, '--since', '2026-01-01T00:00:00Z')).toContain('turned off');
  expect(await run('webhook', 'set', id, '--active', 'true')).toEqual(changed);
  expect((await api.get(`/v1/webhook_endpoints/${id}`)).body).toEqual(changed);
});

test('webhook rotate creates a new secret, and both secrets sign webhooks', async () => {
  const rotated = await run('webhook', 'rotate', id);
  expect(rotated).toMatchObject({ id, object: 'webhook_endpoint', secret: expect.stringMatching(SECRET) });
  expect(rotated.secret).not.toBe(secret);
  const { id: message } = await run('webhook', 'test', id);
  await expect.poll(() => arrivals(message).map(({ signatures }) => signatures), WITHIN).toEqual([2]);
});

test('webhook replay sends a message again each time it runs', async () => {
  const { id: message } = await run('webhook', 'test', id);
  await expect.poll(() => arrivals(message).length, WITHIN).toBe(1);
  for (const times of [2, 3]) {
    const replay = await run('webhook', 'replay', id, '--message', message);
    expect(replay).toEqual({ object: 'webhook_replay', endpoint: id, messages: 1 });
    await expect.poll(() => arrivals(message).length, WITHIN).toBe(times);
  }
  const none = await run('webhook', 'replay', id, '--since', '2026-01-01T00:00:00Z');
  expect(none).toEqual({ object: 'webhook_replay', endpoint: id, messages: 0 });
});

test('unknown ids are refused in one line', async () => {
  expect(await refused('webhook', 'show', 'whk_none')).toContain('whk_none');
  expect(await refused('webhook', 'set', 'whk_none', '--active', 'true')).toContain('whk_none');
  expect(await refused('webhook', 'rotate', 'whk_none')).toContain('whk_none');
  expect(await refused('webhook', 'replay', id, '--message', 'msg_none')).toContain('message');
});
