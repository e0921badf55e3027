import { OPERATIONS, type Operation } from '@foreword/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forFile, isLong, nextKey, openService, type Reply } from '../harness/index.ts';
import { mutate, mutations, toJsonTree, toText, valuesOf } from './arbitraries.ts';
import { CREATIONS, type Creation, completeBody, fieldOf, type JsonObject, withField } from './bodies.ts';
import { expectErrorShape } from './outcome.ts';

// Fixed, so that every run has the same cases. A failure prints the path to its smallest form.
const SEED = 20_260_310;
const RUNS: fc.Parameters<unknown> = { seed: SEED, numRuns: isLong ? 120 : 15 };

const OPERATION_LIST = (Object.values(OPERATIONS) as Operation[]).map((one) => [one.operationId, one] as const);

const fixture = await forFile(openService({ LOG_LEVEL: 'warn' }));
const acme = fixture.organization;
const url = 'https://crm.acme.example/foreword';
/** By the first part of the path: an object of the organization. */
const ids: Readonly<Record<string, string>> = {
  intros: (await acme.api.post('/v1/intros', completeBody('intros'))).body.id,
  members: acme.memberId,
  webhook_endpoints: (await acme.api.post('/v1/webhook_endpoints', { url, active: false })).body.id,
};

const SUCCESS: Record<Creation, number> = { 'touchpoint-events': 202, intros: 201 };

const operationOf = (path: string): Operation =>
  OPERATION_LIST.find(([, one]) => one.path === path && one.body !== undefined)?.[1] as Operation;
const schemaOf = (path: string): JsonObject => operationOf(path).body?.schema as unknown as JsonObject;

/** Valid bodies that name an existing touchpoint and member. */
function validBody(creation: Creation): fc.Arbitrary<JsonObject> {
  return valuesOf(schemaOf(`/v1/${creation}`)).map((body) => {
    const known = withField(body as JsonObject, 'member', { external_id: 'rep_17' });
    if (creation === 'intros') return known;
    const hasAppointment = fieldOf(known, 'context.appointment') !== undefined;
    return { ...known, touchpoint: hasAppointment ? 'new_appointment' : 'on_my_way' };
  });
}

/** The path with the id of an existing object, if there is one of this kind. */
function pathOf({ path }: Operation): string {
  const [, collection = ''] = /\/(\w+)\/\{id\}/.exec(path) ?? [];
  return path.replace('{id}', ids[collection] ?? 'evt_01kz0000000000000000000000');
}

function expectDocumented({ success, operationId }: Operation, reply: Reply): void {
  expect(reply.headers.get('request-id')).toMatch(/^req_/);
  if (reply.status === success.status) return;
  expect({ operationId, isRefused: reply.status >= 400 && reply.status < 500, body: reply.body }).toEqual({
    operationId,
    isRefused: true,
    body: expect.anything(),
  });
  expectErrorShape(reply);
}

const sendText = (path: string, text: string) =>
  acme.api.raw('POST', path, {
    headers: { 'content-type': 'application/json', 'idempotency-key': nextKey() },
    body: Buffer.from(text),
  });

describe.each(CREATIONS)('POST /v1/%s', (creation) => {
  test('accepts every body that its schema allows, and returns what was sent', async () => {
    const property = fc.asyncProperty(validBody(creation), async (body) => {
      const key = nextKey();
      const reply = await acme.api.post(`/v1/${creation}`, body, { key });
      expect(reply.status, JSON.stringify(reply.body)).toBe(SUCCESS[creation]);
      for (const field of ['source', 'type', 'id'])
        expect(reply.body.reference?.[field] ?? null).toEqual(fieldOf(body, `reference.${field}`) ?? null);
      expect(JSON.parse(JSON.stringify(reply.body.metadata))).toEqual(JSON.parse(JSON.stringify(body.metadata ?? {})));
      if (creation === 'intros') {
        expect(reply.body.recipient.first_name).toBe(fieldOf(body, 'recipient.first_name'));
      }
      // Whitespace and the order of fields do not matter to idempotency.
      const reversed = Object.fromEntries(Object.entries(body).reverse());
      const headers = { 'content-type': 'application/json', 'idempotency-key': key };
      const again = await acme.api.raw('POST', `/v1/${creation}`, { headers, body: JSON.stringify(reversed, null, 2) });
      expect(again.body.id).toBe(reply.body.id);
    });
    await fc.assert(property, RUNS);
  });

  test('responds as documented to a body that is truncated or has a changed byte', async () => {
    const change = fc.record({
      position: fc.double({ min: 0, max: 1, noNaN: true }),
      byte: fc.nat({ max: 255 }),
      cut: fc.boolean(),
    });
    const property = fc.asyncProperty(validBody(creation), change, async (body, { position, byte, cut }) => {
      const bytes = Buffer.from(JSON.stringify(body));
      const index = Math.min(bytes.length - 1, Math.floor(position * bytes.length));
      bytes[index] = byte;
      const headers = { 'content-type': 'application/json', 'idempotency-key': nextKey() };
      const sent = cut ? bytes.subarray(0, index) : bytes;
      expectDocumented(
        operationOf(`/v1/${creation}`),
        await acme.api.raw('POST', `/v1/${creation}`, { headers, body: sent }),
      );
    });
    await fc.assert(property, RUNS);
  });
});

test('a dry run refuses every mutated event with the same error', async () => {
  const allowed = fc.oneof(validBody('touchpoint-events'), valuesOf(schemaOf('/v1/touchpoint-events')));
  const property = fc.asyncProperty(allowed, mutations, async (body, changes) => {
    const text = toText(changes.reduce(mutate, toJsonTree(body)));
    const reply = await sendText('/v1/touchpoint-events', text);
    const dryRun = await sendText('/v1/dry_run', text);
    if (reply.status === 202) expect(dryRun.status).toBe(200);
    else expect(dryRun.body).toEqual(reply.body);
  });
  await fc.assert(property, { ...RUNS, numRuns: isLong ? 300 : 30 });
});

test.each(OPERATION_LIST.filter(([, { body }]) => body !== undefined))(
  '%s responds to every mutated body as documented, and never with a server error',
  async (_name, operation) => {
    const schema = (operation.body as NonNullable<Operation['body']>).schema as unknown as JsonObject;
    const property = fc.asyncProperty(valuesOf(schema), mutations, async (body, changes) => {
      const headers = { 'content-type': 'application/json', 'idempotency-key': nextKey() };
      const text = toText(changes.reduce(mutate, toJsonTree(body)));
      expectDocumented(operation, await acme.api.raw(operation.method, pathOf(operation), { headers, body: text }));
    });
    await fc.assert(property, RUNS);
  },
);

test.each(OPERATION_LIST)('%s responds to every id and query as documented', async (_name, operation) => {
  const anyText = fc.string({ unit: 'binary', maxLength: 100 });
  const names = fc.oneof(
    fc.constantFrom(...Object.keys(operation.query.properties), 'metadata[', '__proto__'),
    anyText,
  );
  const id = fc.oneof(
    anyText.filter((text) => !['', '.', '..'].includes(text)),
    fc.stringMatching(/^(int|evt|mem|whk|tpt)_[0-9a-z]{26}$/),
  );
  const property = fc.asyncProperty(id, fc.array(fc.tuple(names, anyText), { maxLength: 3 }), async (one, pairs) => {
    const query = pairs.map((pair) => pair.map(encodeURIComponent).join('=')).join('&');
    const path = `${operation.path.replace('{id}', encodeURIComponent(one))}?${query}`;
    const headers = { 'idempotency-key': nextKey() };
    expectDocumented(operation, await acme.api.raw(operation.method, path, { headers }));
  });
  await fc.assert(property, RUNS);
});
