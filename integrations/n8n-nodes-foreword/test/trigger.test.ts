import { createHmac } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { forFile, openService } from '../../../packages/server/test/harness/index.ts';
import { Instance } from './instance.ts';
import { FOREWORD, resultOf, TRIGGER, type WorkflowJson } from './n8n.ts';

const fixture = await forFile(openService());
let instance: Instance | undefined;

const credentials = { forewordApi: { id: '1', name: 'Foreword' } };

/** When a video is ready: read the intro again, and report its link as sent. */
const workflowFor = (parameters: Record<string, unknown>): WorkflowJson => ({
  name: 'Send the link',
  nodes: [
    {
      id: 't1',
      name: 'Foreword Trigger',
      type: TRIGGER,
      typeVersion: 1,
      position: [0, 0],
      webhookId: '7a0c7c52-2f1d-4d8e-9a55-0c2b1f4f5f10',
      parameters: parameters as never,
      credentials,
    },
    {
      id: 't2',
      name: 'Mark as sent',
      type: FOREWORD,
      typeVersion: 1,
      position: [200, 0],
      parameters: { resource: 'intro', operation: 'markSent', introId: '={{ $json.data.id }}' },
      credentials,
      onError: 'continueRegularOutput',
    },
  ],
  connections: { 'Foreword Trigger': { main: [[{ node: 'Mark as sent', type: 'main', index: 0 }]] } },
});

afterEach(async () => {
  await instance?.close();
  instance = undefined;
});

async function open(parameters: Record<string, unknown> = { events: ['intro.ready'] }): Promise<Instance> {
  const credential = { baseUrl: fixture.service.url, apiKey: fixture.organization.key };
  instance = await Instance.start(workflowFor(parameters), 'Foreword Trigger', credential);
  return instance;
}

// biome-ignore lint/suspicious/noExplicitAny: the API's objects.
const listEndpoints = async (): Promise<any[]> => (await fixture.api.get('/v1/webhook_endpoints')).body.data;

const send = (url: string, body: string, headers: Record<string, string>) =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });

function sign(secret: string, id: string, timestampS: number, body: string): Record<string, string> {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestampS}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': String(timestampS), 'webhook-signature': `v1,${signature}` };
}

const nowS = (): number => Math.floor(Date.now() / 1000);
const secretOf = (one: Instance): string => {
  const [state] = Object.values(one.staticData) as { production: { secret: string } }[];
  return state?.production.secret ?? '';
};

test('creates the endpoint once on activation and deletes it on deactivation', async () => {
  const n8n = await open({ events: ['intro.ready', 'recipient.opted_out'] });
  await n8n.activate();
  const [endpoint, ...others] = await listEndpoints();
  expect(others).toEqual([]);
  expect(endpoint).toMatchObject({
    url: n8n.url,
    events: ['intro.ready', 'recipient.opted_out'],
    description: 'n8n workflow Send the link',
    active: true,
  });
  // A restart of n8n activates all workflows again.
  await n8n.activate();
  expect(await listEndpoints()).toEqual([endpoint]);
  await n8n.deactivate();
  expect(await listEndpoints()).toEqual([]);
  await n8n.deactivate();
});

test('rejects wrong, missing, old and replaced signatures with 401, and starts nothing', async () => {
  const n8n = await open();
  await n8n.activate();
  const body = JSON.stringify({ type: 'intro.ready', timestamp: '2026-03-12T19:30:00.000Z', data: { id: 'int_x' } });
  const secret = secretOf(n8n);
  const valid = sign(secret, 'msg_1', nowS(), body);
  const otherSecret = `whsec_${Buffer.from('another secret of 24 byte').toString('base64')}`;
  const attempts: [string, string, Record<string, string>][] = [
    ['no signature', body, {}],
    ['other secret', body, sign(otherSecret, 'msg_1', nowS(), body)],
    ['changed body', body.replace('int_x', 'int_y'), valid],
    ['same JSON, other bytes', JSON.stringify(JSON.parse(body), null, 1), valid],
    ['changed id', body, { ...valid, 'webhook-id': 'msg_2' }],
    ['old', body, sign(secret, 'msg_1', nowS() - 600, body)],
    ['future', body, sign(secret, 'msg_1', nowS() + 600, body)],
    ['no number', body, { ...valid, 'webhook-timestamp': 'NaN' }],
    [
      'other version',
      body,
      { ...valid, 'webhook-signature': valid['webhook-signature']?.replace('v1,', 'v1a,') ?? '' },
    ],
  ];
  for (const [name, sent, headers] of attempts) {
    const response = await send(n8n.url, sent, headers);
    expect([name, response.status]).toEqual([name, 401]);
    expect(await response.json()).toMatchObject({ error: { code: 'invalid_signature' } });
  }
  expect(n8n.deliveries.filter(({ run }) => run !== undefined)).toEqual([]);
  // During a rotation a message has two signatures.
  const two = { ...valid, 'webhook-signature': `v1,AAAA ${valid['webhook-signature']}` };
  expect((await send(n8n.url, body, two)).status).toBe(200);
  await n8n.deactivate();
  expect((await send(n8n.url, body, valid)).status).toBe(401);
});

test('replaces an endpoint that was deleted, and turns on one that was turned off', async () => {
  const n8n = await open();
  await n8n.activate();
  const [first] = await listEndpoints();
  await fixture.api.raw('DELETE', `/v1/webhook_endpoints/${first.id}`, { headers: { 'idempotency-key': 'gone' } });
  await n8n.activate();
  const [second] = await listEndpoints();
  expect(second.id).not.toBe(first.id);
  await fixture.api.post(`/v1/webhook_endpoints/${second.id}`, { active: false });
  await n8n.activate();
  const [third, ...others] = await listEndpoints();
  expect(third).toMatchObject({ id: second.id, active: true, url: n8n.url });
  expect(others).toEqual([]);
  await n8n.deactivate();
});

test('a stop of n8n right after the endpoint was created leaves no second one', async () => {
  const n8n = await open();
  await n8n.activate();
  n8n.staticData = {};
  await n8n.activate();
  expect(await listEndpoints()).toHaveLength(1);
  const body = '{"type":"intro.ready","timestamp":"2026-03-12T19:30:00.000Z","data":{"id":"int_x"}}';
  expect((await send(n8n.url, body, sign(secretOf(n8n), 'msg_9', nowS(), body))).status).toBe(200);
  await n8n.deactivate();
  expect(await listEndpoints()).toEqual([]);
});

test('listening in the editor uses its own endpoint and leaves the active one alone', async () => {
  const n8n = await open();
  await n8n.activate();
  const [active] = await listEndpoints();
  n8n.mode = 'webhook-test';
  await n8n.activate();
  const urls = (await listEndpoints()).map(({ url }) => url);
  expect(urls).toEqual(expect.arrayContaining([active.url, n8n.url]));
  expect(urls).toHaveLength(2);
  await n8n.deactivate();
  expect(await listEndpoints()).toEqual([active]);
  n8n.mode = 'webhook';
  await n8n.deactivate();
});

test('test messages start the workflow only if chosen, or while the editor listens', async () => {
  const n8n = await open({ events: ['intro.ready'] });
  await n8n.activate();
  const [endpoint] = await listEndpoints();
  await fixture.api.post(`/v1/webhook_endpoints/${endpoint.id}/test`, { type: 'intro.ready' });
  await expect.poll(() => n8n.deliveries.length).toBe(1);
  expect(n8n.deliveries).toEqual([{ status: 200 }]);
  n8n.mode = 'webhook-test';
  await n8n.activate();
  const test = (await listEndpoints()).find(({ url }) => url === n8n.url);
  await fixture.api.post(`/v1/webhook_endpoints/${test.id}/test`);
  await expect.poll(() => n8n.deliveries.length).toBe(2);
  const run = n8n.deliveries[1]?.run;
  expect(run && resultOf(run, 'Foreword Trigger').json).toMatchObject([{ type: 'webhook.test', test: true }]);
  await n8n.deactivate();
  n8n.mode = 'webhook';
  await n8n.deactivate();
});
