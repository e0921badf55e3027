import { expect, test } from 'vitest';
import { errorOf, foreword, forFile, openService, tryForeword } from '../harness/index.ts';
import { startReceiver } from '../webhooks/receiver.ts';

const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/;

const run = (...args: string[]) => fixture.run(...args);
/** How many signatures each delivery of the message had. */
const arrivals = (message: string) =>
  receiver.received
    .filter(({ headers }) => headers['webhook-id'] === message)
    .map(({ headers }) => headers['webhook-signature']?.split(' ').length);

async function refused(...args: string[]): Promise<string> {
  const outcome = await tryForeword(fixture.environment, ...args, '--json');
  expect(outcome.code).toBe(1);
  return errorOf(outcome);
}

const receiver = await forFile(startReceiver());
const fixture = await forFile(openService());
const { api } = fixture;
// The command checks the address with its own settings.
const settings = { ...fixture.environment, WEBHOOKS_ALLOW_PRIVATE: 'on' };
const { id, secret } = await foreword(settings, 'webhook', 'create', '--url', receiver.url);

test('webhook show and list print the endpoint as the API does, without its secret', async () => {
  expect(secret).toMatch(SECRET);
  const shown = await run('webhook', 'show', id);
  expect((await run('webhook', 'list')).data).toEqual([shown]);
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
  const { id: message, type } = await run('webhook', 'test', id);
  expect(type).toBe('webhook.test');
  await expect.poll(() => arrivals(message)).toEqual([2]);
});

test('webhook replay sends a message again each time it runs', async () => {
  const { id: message } = await run('webhook', 'test', id);
  await expect.poll(() => arrivals(message).length).toBe(1);
  for (const times of [2, 3]) {
    const replay = await run('webhook', 'replay', id, '--message', message);
    expect(replay).toEqual({ object: 'webhook_replay', endpoint: id, messages: 1 });
    await expect.poll(() => arrivals(message).length).toBe(times);
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

test('webhook delete deletes the endpoint', async () => {
  expect(await run('webhook', 'delete', id)).toEqual({ id, object: 'webhook_endpoint', deleted: true });
  expect((await api.get(`/v1/webhook_endpoints/${id}`)).status).toBe(404);
});
