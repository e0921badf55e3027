import { OPERATIONS, type Operation } from '@foreword/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forFile, nextKey, openService, type Reply } from '../harness/index.ts';
import { mutate, mutations, toJsonTree, toText, valuesOf } from './arbitraries.ts';
import { CREATIONS, type Creation, fieldOf, type JsonObject, withField } from './bodies.ts';
import { expectErrorShape } from './outcome.ts';

// Fixed, so that every run has the same cases. A failure prints the path to its smallest form.
const SEED = 20_260_310;
const FUZZ_OPTIONS: fc.Parameters<unknown> = {
  seed: SEED,
  interruptAfterTimeLimit: 25_000,
  markInterruptAsFailure: true,
};
// fuzz-operations.slow.test.ts has more cases, for every operation.
const VALID_RUNS = 125;
const MUTATED_RUNS = 300;
const QUERY_RUNS = 100;

const fixture = await forFile(openService({ LOG_LEVEL: 'warn' }));
const acme = fixture.organization;
const body = { member: { external_id: 'rep_17' }, recipient: { first_name: 'Dana', phone: '+14155550123' } };
const introId = (await acme.api.post('/v1/intros', body)).body.id;
const url = 'https://crm.acme.example/foreword';
const endpointId = (await acme.api.post('/v1/webhook_endpoints', { url, active: false })).body.id;

const SUCCESS: Record<Creation, number> = { 'touchpoint-events': 202, intros: 201 };

function schemaOf(path: string): JsonObject {
  const operation = (Object.values(OPERATIONS) as Operation[]).find(
    (one) => one.path === path && one.body !== undefined,
  );
  return operation?.body?.schema as unknown as JsonObject;
}

/** Valid bodies that name an existing touchpoint and member. */
function validBody(creation: Creation): fc.Arbitrary<JsonObject> {
  return valuesOf(schemaOf(`/v1/${creation}`)).map((body) => {
    const known = withField(body as JsonObject, 'member', { external_id: 'rep_17' });
    if (creation === 'intros') return known;
    const hasAppointment = fieldOf(known, 'context.appointment') !== undefined;
    return { ...known, touchpoint: hasAppointment ? 'new_appointment' : 'on_my_way' };
  });
}

function expectDocumented(reply: Reply, success: number): void {
  expect(reply.headers.get('request-id')).toMatch(/^req_/);
  expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
  if (reply.status === success) return;
  expect(reply.status).toBeGreaterThanOrEqual(400);
  expect(reply.status).toBeLessThan(500);
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
    await fc.assert(property, { ...FUZZ_OPTIONS, numRuns: VALID_RUNS });
  });

  test('responds to every mutated body as documented, and never with a server error; a dry run refuses the same', async () => {
    const allowed = fc.oneof(validBody(creation), valuesOf(schemaOf(`/v1/${creation}`)));
    const property = fc.asyncProperty(allowed, mutations, async (body, changes) => {
      const text = toText(changes.reduce(mutate, toJsonTree(body)));
      const reply = await sendText(`/v1/${creation}`, text);
      expectDocumented(reply, SUCCESS[creation]);
      if (creation !== 'touchpoint-events') return;
      const dryRun = await sendText('/v1/dry_run', text);
      if (reply.status === SUCCESS[creation]) expect(dryRun.status).toBe(200);
      else expect(dryRun.body).toEqual(reply.body);
    });
    await fc.assert(property, { ...FUZZ_OPTIONS, numRuns: MUTATED_RUNS });
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
      expectDocumented(await acme.api.raw('POST', `/v1/${creation}`, { headers, body: sent }), SUCCESS[creation]);
    });
    await fc.assert(property, { ...FUZZ_OPTIONS, numRuns: VALID_RUNS });
  });
});

describe.each(['cancel', 'mark_sent'])('POST /v1/intros/{id}/%s', (move) => {
  test('answers every body but an empty one with a refusal, and changes nothing', async () => {
    const property = fc.asyncProperty(mutations, async (changes) => {
      const text = toText(changes.reduce(mutate, toJsonTree({})));
      if (text === '{}') return;
      const reply = await sendText(`/v1/intros/${introId}/${move}`, text);
      expect(reply.status).toBe(422);
      expectDocumented(reply, 200);
    });
    await fc.assert(property, { ...FUZZ_OPTIONS, numRuns: VALID_RUNS });
    expect((await acme.api.get(`/v1/intros/${introId}`)).body.status).toBe('requested');
  });
});

describe('GET', () => {
  const anyText = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.constantFrom('', '0', '20', '101', 'true', 'requested', '\u0000', '__proto__', 'rep_17', "'", '1e1', '../..'),
  );
  const names = [
    ...['limit', 'starting_after', 'status', 'member', 'reference_id', 'email', 'external_id', 'active'],
    ...['touchpoint', 'created_after', 'created_before', 'recipient_phone', 'type'],
    ...['metadata', 'metadata[crm_owner]', 'metadata[', 'metadata[]'],
  ];
  const parameters = fc.array(fc.tuple(fc.oneof(fc.constantFrom(...names), anyText), anyText), { maxLength: 4 });
  const spell = (pairs: [string, string][]) =>
    pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&');

  const webhookMessages = '/v1/webhook_endpoints/{id}/messages';
  test.each(['/v1/intros', '/v1/events', '/v1/members', '/v1/touchpoints', webhookMessages])(
    '%s responds to every query as documented',
    async (list) => {
      const path = list.replace('{id}', endpointId);
      const property = fc.asyncProperty(parameters, async (pairs) => {
        expectDocumented(await acme.api.get(`${path}?${spell(pairs)}`), 200);
      });
      await fc.assert(property, { ...FUZZ_OPTIONS, numRuns: QUERY_RUNS });
    },
  );

  test.each(['/v1/intros', '/v1/events', '/v1/webhook_messages'])(
    '%s/{id} responds to every id as documented',
    async (path) => {
      const id = fc.oneof(
        anyText.filter((text) => !['', '.', '..'].includes(text)).map(encodeURIComponent),
        fc.stringMatching(/^(int|evt|mem)_[0-9a-z]{26}$/),
        fc.stringMatching(/^[%0-9A-F]{1,20}$/),
      );
      const property = fc.asyncProperty(id, async (one) => {
        const reply = await acme.api.get(`${path}/${one}`);
        expectDocumented(reply, 404);
        expect(reply.status).toBe(404);
      });
      await fc.assert(property, { ...FUZZ_OPTIONS, numRuns: QUERY_RUNS });
    },
  );
});
