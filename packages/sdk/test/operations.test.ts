import fs from 'node:fs';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { Foreword, type ForewordOptions } from '../src/index.ts';

interface Parameter {
  readonly name: string;
  readonly in: string;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly required?: boolean };
}

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly query: Record<string, string>;
  readonly headers: Record<string, string>;
  readonly body: unknown;
}

const { paths, components } = JSON.parse(
  fs.readFileSync(path.join(import.meta.dirname, '../../../openapi.json'), 'utf8'),
) as { paths: Record<string, Record<string, Operation>>; components: { parameters: Record<string, Parameter> } };

const parametersOf = ({ parameters = [] }: Operation): (Parameter | undefined)[] =>
  parameters.map((one) => ('$ref' in one ? components.parameters[one.$ref.split('/').at(-1) ?? ''] : one));
const operations = Object.entries(paths).flatMap(([at, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), at })),
);

const recipient = { first_name: 'Dana', phone: '+15005550123' };
const member = { external_id: 'rep_17' };
const event = { touchpoint: 'new_appointment', occurred_at: '2026-03-10T09:15:00Z', member, recipient };
const key = { idempotencyKey: 'crm:1:new_appointment' };
const TIME = '2026-03-10T00:00:00Z';

/** One call for each operation, with every parameter that it has. */
const CALLS: Record<string, (foreword: Foreword) => PromiseLike<unknown>> = {
  createTouchpointEvent: (foreword) => foreword.events.create(event, key),
  listEvents: (foreword) =>
    foreword.events.list({
      status: ['accepted', 'failed'],
      touchpoint: 'closing',
      reference_id: '1',
      created_after: TIME,
      created_before: TIME,
      limit: 5,
      starting_after: 'evt_1',
    }),
  retrieveEvent: (foreword) => foreword.events.retrieve('x', { wait: 1 }),
  retryEvent: (foreword) => foreword.events.retry('x'),
  dryRun: (foreword) => foreword.dryRun(event),
  createIntro: (foreword) => foreword.intros.create({ member, recipient }, key),
  listIntros: (foreword) =>
    foreword.intros.list({
      status: 'ready',
      member: 'mem_1',
      reference_id: '1',
      touchpoint: 'closing',
      recipient_phone: '+15005550123',
      metadata: { crm_owner: 'west & east', priority: 2 },
      created_after: TIME,
      created_before: TIME,
      limit: 5,
      starting_after: 'int_1',
    }),
  retrieveIntro: (foreword) => foreword.intros.retrieve('x', { wait: 1, version: 2 }),
  cancelIntro: (foreword) => foreword.intros.cancel('x'),
  markIntroSent: (foreword) => foreword.intros.markSent('x'),
  correctIntroPhone: (foreword) => foreword.intros.correctPhone('x', { phone: '+14155550132' }),
  takeDownIntro: (foreword) => foreword.intros.takeDown('x'),
  optOutRecipient: (foreword) => foreword.recipients.optOut({ phone: '+14155550123' }),
  optInRecipient: (foreword) => foreword.recipients.optIn({ phone: '+14155550123' }),
  listOptOuts: (foreword) =>
    foreword.recipients.listOptOuts({ phone: '+14155550123', limit: 5, starting_after: 'opt_1' }),
  eraseRecipient: (foreword) => foreword.recipients.erase({ phone: '+14155550123' }),
  retrieveErasure: (foreword) => foreword.recipients.retrieveErasure('x'),
  retryRecording: (foreword) => foreword.intros.retryRecording('x'),
  retrieveTimeline: (foreword) => foreword.intros.timeline('x'),
  createRecordingLink: (foreword) => foreword.intros.recordingLink('x', { expires_in: 60 }),
  recordTestIntro: (foreword) => foreword.testHelpers.intros.record('x'),
  openTestIntro: (foreword) => foreword.testHelpers.intros.open('x'),
  watchTestIntro: (foreword) => foreword.testHelpers.intros.watch('x', { percent: 50 }),
  replyTestIntro: (foreword) => foreword.testHelpers.intros.reply('x', { type: 'question', message: 'Where?' }),
  optOutTestRecipient: (foreword) => foreword.testHelpers.intros.optOut('x'),
  optInTestRecipient: (foreword) => foreword.testHelpers.intros.optIn('x'),
  expireTestIntro: (foreword) => foreword.testHelpers.intros.expire('x'),
  failTestIntro: (foreword) => foreword.testHelpers.intros.fail('x', { step: 'delivery', code: 'invalid_number' }),
  retrieveTestClock: (foreword) => foreword.testHelpers.clock.retrieve(),
  advanceTestClock: (foreword) => foreword.testHelpers.clock.advance({ seconds: 60 }),
  resetTestClock: (foreword) => foreword.testHelpers.clock.reset(),
  listTouchpoints: (foreword) => foreword.touchpoints.list(),
  retrieveTouchpoint: (foreword) => foreword.touchpoints.retrieve('x'),
  listMembers: (foreword) =>
    foreword.members.list({ limit: 5, starting_after: 'mem_1', email: 'a@b.c', external_id: '1', active: false }),
  createMember: (foreword) =>
    foreword.members.create({ first_name: 'Ana', last_name: 'Ng', email: 'ana@acme.example' }, key),
  retrieveMember: (foreword) => foreword.members.retrieve('x'),
  updateMember: (foreword) => foreword.members.update('x', { title: 'Advisor' }),
  deactivateMember: (foreword) => foreword.members.deactivate('x', { open_intros: 'cancel' }),
  reactivateMember: (foreword) => foreword.members.reactivate('x'),
  createLinkDomain: (foreword) => foreword.linkDomains.create({ host: 'go.acme.example' }),
  listLinkDomains: (foreword) => foreword.linkDomains.list({ limit: 5, starting_after: 'lkd_1' }),
  retrieveLinkDomain: (foreword) => foreword.linkDomains.retrieve('x'),
  checkLinkDomain: (foreword) => foreword.linkDomains.check('x'),
  deleteLinkDomain: (foreword) => foreword.linkDomains.delete('x'),
  createWebhookEndpoint: (foreword) => foreword.webhookEndpoints.create({ url: 'https://crm.acme.example' }),
  listWebhookEndpoints: (foreword) => foreword.webhookEndpoints.list({ limit: 5, starting_after: 'whk_1' }),
  retrieveWebhookEndpoint: (foreword) => foreword.webhookEndpoints.retrieve('x'),
  updateWebhookEndpoint: (foreword) => foreword.webhookEndpoints.update('x', { active: true }),
  deleteWebhookEndpoint: (foreword) => foreword.webhookEndpoints.delete('x'),
  rotateWebhookSecret: (foreword) => foreword.webhookEndpoints.rotateSecret('x'),
  testWebhookEndpoint: (foreword) => foreword.webhookEndpoints.test('x', { type: 'intro.ready' }),
  listWebhookMessages: (foreword) =>
    foreword.webhookEndpoints.messages('x', {
      type: 'intro.ready',
      status: 'failed',
      created_after: TIME,
      created_before: TIME,
      limit: 5,
      starting_after: 'msg_1',
    }),
  listWebhookAttempts: (foreword) => foreword.webhookEndpoints.attempts('x', { limit: 5, starting_after: 'att_1' }),
  replayWebhooks: (foreword) => foreword.webhookEndpoints.replay('x', { since: TIME }),
  retrieveWebhookMessage: (foreword) => foreword.webhookMessages.retrieve('x', { endpoint: 'whk_1' }),
};

/** The request that a call sends, without a server. */
async function capture(call: (foreword: Foreword) => PromiseLike<unknown>): Promise<Sent> {
  const sent: Sent[] = [];
  const fetch: ForewordOptions['fetch'] = async (url, { method, headers, body }) => {
    const { pathname, searchParams } = new URL(url);
    const query = Object.fromEntries(searchParams);
    sent.push({ method, path: pathname, query, headers, body: body === undefined ? undefined : JSON.parse(body) });
    return new Response('{}');
  };
  await call(new Foreword({ apiKey: 'fw_test_1', baseUrl: 'https://foreword.example', fetch }));
  const [only] = sent;
  if (only === undefined || sent.length > 1) throw new Error(`${sent.length} requests`);
  return only;
}

test('there is a method for each operation of openapi.json, and none for anything else', () => {
  expect(Object.keys(CALLS).sort()).toEqual(operations.map(({ operationId }) => operationId).sort());
});

test.each(operations)('$operationId sends its method, path and every parameter', async (operation) => {
  const call = CALLS[operation.operationId];
  if (call === undefined) throw new Error('no call');
  const { method, path: at, query, headers, body } = await capture(call);
  expect(`${method} ${at}`).toBe(`${operation.method} ${operation.at.replace('{id}', 'x')}`);
  expect(headers.authorization).toBe('Bearer fw_test_1');
  const parameters = parametersOf(operation);
  const { requestBody } = operation;
  expect('idempotency-key' in headers).toBe(parameters.some((one) => one?.name === 'Idempotency-Key'));
  const names = Object.keys(query).map((name) => name.replace(/\[.*/, ''));
  const expected = parameters.filter((one) => one?.in === 'query').map((one) => one?.name);
  expect([...new Set(names)].sort()).toEqual(expected.sort());
  if (requestBody?.required === true) expect(body).toBeTypeOf('object');
  expect('content-type' in headers).toBe(body !== undefined);
});

test('filters of the SDK with several values, pairs and special characters arrive as they were given', async () => {
  const { query } = await capture(CALLS.listIntros as never);
  expect(query).toMatchObject({ 'metadata[crm_owner]': 'west & east', 'metadata[priority]': '2' });
  expect((await capture(CALLS.listEvents as never)).query.status).toBe('accepted,failed');
  expect((await capture(CALLS.listMembers as never)).query.active).toBe('false');
});

const ALL = Array.from({ length: 250 }, (_, at) => ({ id: `int_${at}` }));

/** Serves ALL in pages, as the API does. */
function createClient() {
  const queries: Record<string, string>[] = [];
  const fetch = async (url: string) => {
    const query = Object.fromEntries(new URL(url).searchParams);
    queries.push(query);
    const limit = Number(query.limit ?? 20);
    const from = ALL.findIndex(({ id }) => id === query.starting_after) + 1;
    return Response.json({ object: 'list', data: ALL.slice(from, from + limit), has_more: from + limit < ALL.length });
  };
  return { queries, foreword: new Foreword({ apiKey: 'fw_test_1', baseUrl: 'https://foreword.example', fetch }) };
}

const collect = async <T>(list: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = [];
  for await (const one of list) all.push(one);
  return all;
};

test('await gives one page, and requests it once', async () => {
  const { queries, foreword } = createClient();
  const list = foreword.intros.list({ status: 'ready' });
  expect(queries).toEqual([]);
  const page = await list;
  expect([page.data.length, page.has_more, (await list) === page]).toEqual([20, true, true]);
  expect(queries).toEqual([{ status: 'ready' }]);
});

test('for await gives every object once, in order, with the filters on each page and as few pages as possible', async () => {
  const { queries, foreword } = createClient();
  expect(await collect(foreword.intros.list({ status: 'ready' }))).toEqual(ALL);
  expect(queries).toEqual([
    { status: 'ready', limit: '100' },
    { status: 'ready', limit: '100', starting_after: 'int_99' },
    { status: 'ready', limit: '100', starting_after: 'int_199' },
  ]);
});

test('a limit is the page size of an iteration, which can start anywhere and end early', async () => {
  const { queries, foreword } = createClient();
  expect(await collect(foreword.intros.list({ limit: 50, starting_after: 'int_9' }))).toEqual(ALL.slice(10));
  expect(queries.map(({ limit }) => limit)).toEqual(['50', '50', '50', '50', '50']);
  queries.length = 0;
  for await (const _ of foreword.intros.list()) break;
  expect(queries).toHaveLength(1);
});

test('an iteration after an await continues from that page', async () => {
  const { queries, foreword } = createClient();
  const list = foreword.intros.list();
  await list;
  expect(await collect(list)).toEqual(ALL);
  expect(queries.slice(0, 2)).toEqual([{}, { limit: '100', starting_after: 'int_19' }]);
});

test('lists without pages send no limit', async () => {
  const { queries, foreword } = createClient();
  for await (const _ of foreword.touchpoints.list()) break;
  expect(queries).toEqual([{}]);
});

test('an error reaches await, for await, catch and finally', async () => {
  const fetch = async () => Response.json({ error: { code: 'unauthorized', message: 'No.' } }, { status: 401 });
  const { members } = new Foreword({ apiKey: 'fw_test_1', baseUrl: 'https://foreword.example', fetch });
  await expect(members.list()).rejects.toMatchObject({ code: 'unauthorized' });
  await expect(collect(members.list())).rejects.toMatchObject({ code: 'unauthorized' });
  expect(await members.list().catch((error) => (error as Error).name)).toBe('ForewordAuthenticationError');
  const end = vi.fn();
  await expect(members.list().finally(end)).rejects.toThrow('No.');
  expect(end).toHaveBeenCalledOnce();
});
