import { describe, expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { createIntro, settled } from './support/actions.ts';
import { objectsIn, problemsOfEvent, problemsOfIntro, problemsOfList } from './support/possible.ts';
import type { PublishedOperation } from './support/published.ts';
import { openService } from './support/service.ts';

const fixture = await forFile(openService());
// Without it, the key could not create recording links.
await fixture.run('key', 'set', fixture.organization.keyId, '--allow-recording-links', 'true');

// biome-ignore lint/suspicious/noExplicitAny: reads bodies freely, like an integrator's script.
type Body = any;

interface Published {
  readonly method: string;
  readonly path: string;
  readonly operation: PublishedOperation;
}

const listOperations = (section: 'paths' | 'webhooks'): Published[] =>
  Object.entries(fixture.published.document[section]).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );

/** The success response, or the body of a webhook. */
function examplesOf({ operation }: Published): unknown[] {
  const success = Object.entries(operation.responses).find(([status]) => /^2\d\d$/.test(status));
  const examples = (success?.[1] ?? operation.requestBody)?.content['application/json'].examples ?? {};
  return Object.values(examples).map(({ value }) => value);
}

const everyObject = () =>
  [...listOperations('paths'), ...listOperations('webhooks')].flatMap((one) => examplesOf(one).flatMap(objectsIn));

describe('examples of the OpenAPI document', () => {
  test('exist for every request and every successful response, each with a summary', () => {
    for (const { operation } of listOperations('paths')) {
      const bodies = [operation.requestBody, ...Object.values(operation.responses)];
      for (const body of bodies) {
        // A 304 has no body.
        if (body?.content === undefined) continue;
        const examples = Object.values(body.content['application/json'].examples ?? {});
        expect(examples.length, operation.operationId).toBeGreaterThan(0);
        for (const { summary } of examples) expect(summary, operation.operationId).toMatch(/\S/);
      }
    }
  });

  test('have a different Idempotency-Key in the samples of every operation that requires one', () => {
    const keys = listOperations('paths')
      .filter(({ operation }) => operation.parameters.some(({ name }) => name === 'Idempotency-Key'))
      .map(({ operation }) => /Idempotency-Key: ([^"]+)"/.exec(operation['x-codeSamples'][0]?.source ?? '')?.[1]);
    expect(keys).not.toContain(undefined);
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys.length).toBeGreaterThan(20);
  });

  test('have ids in paths that fit the path', () => {
    const prefixes = new Map<string, Set<string>>();
    for (const { path, operation } of listOperations('paths').filter((one) => one.path.includes('{id}'))) {
      const example = operation.parameters.find(({ name }) => name === 'id')?.example;
      expect(example, operation.operationId).toMatch(/^[a-z]+_[0-9a-z]{26}$/);
      const kind = path.slice(0, path.indexOf('{id}')).split('/').at(-2) ?? '';
      prefixes.set(kind, new Set([...(prefixes.get(kind) ?? []), example?.split('_')[0] ?? '']));
    }
    for (const [kind, found] of prefixes) expect([...found], kind).toHaveLength(1);
  });

  test('match their schemas, without other fields', () => {
    for (const { method, path, operation } of listOperations('paths')) {
      for (const [status, { content }] of Object.entries(operation.responses)) {
        if (content === undefined) continue;
        const parts = ['paths', path, method, 'responses', status, 'content', 'application/json', 'schema'];
        for (const { value } of Object.values(content['application/json'].examples ?? {})) {
          fixture.published.expectValid(parts, value);
        }
      }
    }
    for (const { method, path, operation } of listOperations('webhooks')) {
      const parts = ['webhooks', path, method, 'requestBody', 'content', 'application/json', 'schema'];
      const examples = Object.values(operation.requestBody?.content['application/json'].examples ?? {});
      expect(examples.length, path).toBeGreaterThan(0);
      for (const { value } of examples) fixture.published.expectValid(parts, value);
    }
  });

  test('show only intros, events and lists that the service could return', () => {
    const objects = everyObject();
    const intros = objects.filter(({ object }) => object === 'intro');
    const events = objects.filter(({ object }) => object === 'touchpoint_event');
    const lists = objects.filter(({ object }) => object === 'list');
    expect(new Set(intros.map(({ status }) => status)).size).toBe(5);
    expect(new Set(events.map(({ status }) => status)).size).toBe(4);
    expect(lists.length).toBeGreaterThan(0);
    expect([
      ...intros.flatMap(problemsOfIntro),
      ...events.flatMap(problemsOfEvent),
      ...lists.flatMap(problemsOfList),
    ]).toEqual([]);
  });

  test('show one object per id: what cannot change is the same in every example', () => {
    const fixed = new Map<string, unknown>();
    for (const { id, object, created_at, recipient, reference, touchpoint } of everyObject()) {
      if (id === undefined || object === undefined || created_at === undefined) continue;
      // The number can be corrected.
      const facts = { object, created_at, recipient: { ...recipient, phone: undefined }, reference, touchpoint };
      if (fixed.has(id)) expect(facts).toEqual(fixed.get(id));
      fixed.set(id, facts);
    }
    // Each resource has one object.
    expect(fixed.size).toBeGreaterThan(7);
  });
});

const createEndpoint = async (): Promise<string> =>
  (await fixture.api.post('/v1/webhook_endpoints', { url: 'https://crm.acme.example/foreword' })).body.id;

let domains = 0;
async function createDomain(): Promise<string> {
  domains += 1;
  return (await fixture.api.post('/v1/link-domains', { host: `go${domains}.acme.example` })).body.id;
}

/** Creates an object for the id in a path. */
const TARGETS: Record<string, () => Promise<string>> = {
  '/v1/intros/{id}': async () => (await createIntro(fixture.api)).id,
  '/v1/test_helpers/intros/{id}': async () =>
    (
      await createIntro(fixture.api, {
        recipient: { first_name: 'Dana', phone: '+15005550177' },
        delivery: { responsibility: 'service' },
      })
    ).id,
  '/v1/events/{id}': async () => (await fixture.api.post('/v1/touchpoint-events', exampleEvent())).body.id,
  '/v1/members/{id}': async () =>
    (await fixture.api.post('/v1/members', { first_name: 'Ira', last_name: 'Cole', email: 'ira@acme.example' })).body
      .id,
  '/v1/touchpoints/{id}': async () => (await fixture.api.get('/v1/touchpoints')).body.data[0].id,
  '/v1/recipients/erasures/{id}': async () =>
    (await fixture.api.post('/v1/recipients/erase', { phone: '+14155550178' })).body.id,
  '/v1/link-domains/{id}': createDomain,
  '/v1/webhook_endpoints/{id}': createEndpoint,
  '/v1/webhook_messages/{id}': async () =>
    (await fixture.api.post(`/v1/webhook_endpoints/${await createEndpoint()}/test`)).body.id,
};

/** As after a recording, which would take seconds. */
const withVideo = (id: string) =>
  fixture.database.sql`update intros set status = 'ready', recorded_at = now(), expires_at = now() + interval '30 days'
    where id = ${id}`;

/** Needs a text that was sent, which takes a recording; `delivery.slow` sends this request. */
const NEEDS_A_TEXT = 'failTestIntro delivery';

/** Brings the object in the path into the state that an operation requires. */
const PREPARATIONS: Record<string, (id: string, body: Body) => Promise<unknown>> = {
  async retryEvent(id) {
    await settled(fixture.api, id);
    await fixture.database.sql`update touchpoint_events set status = 'failed', error_code = 'processing_failed'
      where id = ${id}`;
  },
  markIntroSent: withVideo,
  openTestIntro: withVideo,
  watchTestIntro: withVideo,
  replyTestIntro: withVideo,
  async takeDownIntro(id) {
    await withVideo(id);
    await fixture.api.post(`/v1/intros/${id}/mark_sent`);
  },
  retryRecording: (id) => fixture.api.post(`/v1/test_helpers/intros/${id}/fail`, { step: 'recording' }),
};

const examplesIn = (operation: PublishedOperation) =>
  Object.entries(operation.requestBody?.content['application/json'].examples ?? {});

function exampleEvent() {
  const events = listOperations('paths').find(({ path }) => path === '/v1/touchpoint-events');
  return events && examplesIn(events.operation)[0]?.[1].value;
}

async function targetOf({ path, operation }: Published, body: Body): Promise<string> {
  if (!path.includes('{id}')) return path;
  const prefix = path.slice(0, path.indexOf('{id}') + '{id}'.length);
  const create = TARGETS[prefix];
  if (create === undefined) throw new Error(`add an object for ${prefix} to TARGETS`);
  const id = await create();
  await PREPARATIONS[operation.operationId]?.(id, body);
  return path.replace('{id}', id);
}

test('every example request gets the documented success from the live service', async () => {
  const failures: string[] = [];
  let sent = 0;
  for (const published of listOperations('paths')) {
    const { method, operation } = published;
    const success = Object.keys(operation.responses).find((status) => /^2\d\d$/.test(status));
    const needsKey = operation.parameters.some(({ name }) => name === 'Idempotency-Key');
    const requests = examplesIn(operation).map(([name, { value }]): [string, unknown] => [name, value]);
    for (const [name, body] of requests.length === 0 ? [['', undefined] as const] : requests) {
      if (`${operation.operationId} ${name}` === NEEDS_A_TEXT) continue;
      const reply = await fixture.api.raw(method.toUpperCase(), await targetOf(published, body), {
        headers: {
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(needsKey && { 'idempotency-key': `${operation.operationId}:${name}` }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      if (String(reply.status) !== success)
        failures.push(`${operation.operationId} ${name}: ${reply.status} ${JSON.stringify(reply.body)}`);
      sent += 1;
    }
  }
  expect(failures).toEqual([]);
  expect(sent).toBeGreaterThanOrEqual(listOperations('paths').length);
});
