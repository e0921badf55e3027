import { beforeEach, expect, test } from 'vitest';
import { forFile, freePort, openService } from '../../../packages/server/test/harness/index.ts';
import { startFaultyProxy } from './faulty-proxy.ts';
import { runNode, type Settings } from './n8n.ts';

const fixture = await forFile(openService());
const proxy = await forFile(startFaultyProxy(fixture.service.url));
const settings: Settings = { credential: { baseUrl: proxy.url, apiKey: fixture.organization.key } };

beforeEach(() => {
  proxy.keys.length = 0;
  proxy.faults.length = 0;
});

const EVENT = {
  resource: 'touchpointEvent',
  operation: 'create',
  touchpoint: { __rl: true, mode: 'slug', value: 'project_update' },
  member: { __rl: true, mode: 'externalId', value: 'rep_17' },
  recipientFirstName: 'Dana',
  recipientPhone: '={{ $json.phone ?? "+14155550123" }}',
  occurredAt: '2026-03-10T09:15:00Z',
  source: 'acme_crm',
  recordId: '={{ $json.id }}',
};

const countEvents = async (id: string): Promise<number> =>
  (await fixture.api.get(`/v1/events?reference_id=${id}`)).body.data.length;

test('a rejected request stops the workflow with the message, the code and the field, and is not retried', async () => {
  const result = await runNode(EVENT, settings, [{ id: 'bad', phone: '(415) 555-0123' }]);
  expect(result.status).toBe('error');
  expect(result.error.name).toBe('NodeApiError');
  expect(result.error.message).toMatch(/^recipient\.phone/);
  expect(result.error.httpCode).toBe('422');
  expect(result.error.description).toContain('Code: validation_failed. Field: recipient.phone. Request ID: ');
  expect(result.error.context.itemIndex).toBe(0);
  expect(proxy.keys).toHaveLength(1);
  expect(await countEvents('bad')).toBe(0);
});

test('"continue" keeps the other items and says what is wrong with one', async () => {
  const items = [{ id: 'c1' }, { id: 'c2', phone: '555' }, { id: 'c3' }];
  const result = await runNode(EVENT, settings, items, { onError: 'continueRegularOutput' });
  expect(result.status).toBe('success');
  expect(result.json).toMatchObject([
    { status: 'accepted' },
    {
      error: expect.stringMatching(/^recipient\.phone/),
      details: { code: 'validation_failed', field: 'recipient.phone', status: 422 },
    },
    { status: 'accepted' },
  ]);
  expect(result.items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }]);
  expect(await countEvents('c2')).toBe(0);
});

test('"continue using error output" sends the failed item there, together with its input', async () => {
  const items = [{ id: 'e1' }, { id: 'e2', phone: '555' }];
  const result = await runNode(EVENT, settings, items, { onError: 'continueErrorOutput' });
  expect(result.json).toMatchObject([{ status: 'accepted' }]);
  expect(result.errorOutput).toMatchObject([{ id: 'e2', phone: '555', details: { code: 'validation_failed' } }]);
});

test('an empty required field names the field and sends nothing', async () => {
  const result = await runNode(EVENT, settings, [{ id: '' }]);
  expect(result.error.message).toBe('Record ID is empty');
  expect(proxy.keys).toEqual([]);
});

test.each(['={{ $json.missing }}', '={{ "" }}', ''])('a filter without a value returns nothing: %j', async (value) => {
  const list = { resource: 'intro', operation: 'getAll', returnAll: true, filters: { reference_id: value } };
  const result = await runNode(list, settings);
  expect(result.error.message).toBe('The filter reference_id is empty: give it a value or remove it');
});

test('a wrong API key says where to change it', async () => {
  const result = await runNode(EVENT, { credential: { baseUrl: proxy.url, apiKey: 'fw_test_wrong' } }, [{ id: 'k' }]);
  expect(result.error.httpCode).toBe('401');
  expect(result.error.description).toContain('Check the API key in the Foreword API credential. Code: unauthorized.');
});

test('a used key with other values is a conflict that explains itself', async () => {
  await runNode(EVENT, settings, [{ id: 'same' }]);
  const result = await runNode({ ...EVENT, recipientFirstName: 'Grace' }, settings, [{ id: 'same' }]);
  expect(result.error.httpCode).toBe('409');
  expect(result.error.description).toContain('add a part to the key that differs. Code: idempotency_conflict.');
  expect(await countEvents('same')).toBe(1);
});

test('repeats a request after a lost response and a 503 with the same key, and creates one event', async () => {
  proxy.faults.push('lose', { status: 503, body: '{"error":{"code":"service_unavailable","message":"Later."}}' });
  const event = { ...EVENT, additionalFields: { part: 'roofing' } };
  const result = await runNode(event, settings, [{ id: 'lost' }]);
  expect(result.json).toMatchObject([{ object: 'touchpoint_event', status: 'duplicate' }]);
  // The documented key: source, record, touchpoint and part.
  expect(proxy.keys).toEqual(Array(3).fill('acme_crm:lost:project_update:roofing'));
  expect(await countEvents('lost')).toBe(1);
});

test('waits as long as Retry-After says', async () => {
  proxy.faults.push({ status: 429, headers: { 'retry-after': '1' } });
  const startedMs = performance.now();
  const result = await runNode(EVENT, settings, [{ id: 'limit' }]);
  expect(result.json).toMatchObject([{ status: 'accepted' }]);
  expect(performance.now() - startedMs).toBeGreaterThan(900);
});

test('does not wait for a Retry-After of an hour', async () => {
  proxy.faults.push({ status: 429, headers: { 'retry-after': '3600' } });
  const result = await runNode(EVENT, settings, [{ id: 'hour' }]);
  expect(result.error.httpCode).toBe('429');
  expect(proxy.keys).toHaveLength(1);
});

test('a service that is down is an error after the retries', async () => {
  const baseUrl = `http://127.0.0.1:${await freePort()}`;
  const credential = { baseUrl, apiKey: fixture.organization.key };
  const result = await runNode(EVENT, { credential }, [{ id: 'down' }]);
  expect(result.error).toMatchObject({
    name: 'NodeApiError',
    message: expect.stringContaining('refused the connection'),
  });
});

test('a Base URL that redirects, and one that is no Foreword, are named as such', async () => {
  proxy.faults.push({ status: 301, headers: { location: 'https://foreword.example.com' } });
  expect((await runNode(EVENT, settings, [{ id: 'r' }])).error.message).toContain('The Base URL redirects (301)');
  proxy.faults.push({ status: 404, headers: { 'content-type': 'text/html' }, body: '<h1>Not here</h1>' });
  expect((await runNode(EVENT, settings, [{ id: 'r' }])).error.message).toContain('Check the Base URL');
  expect(await countEvents('r')).toBe(0);
});
