import { OPERATIONS, type Operation } from '@foreword/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { forFile, nextKey, openService, type Reply } from '../harness/index.ts';
import { mutate, mutations, toJsonTree, toText, valuesOf } from './arbitraries.ts';
import type { JsonObject } from './bodies.ts';
import { expectErrorShape } from './outcome.ts';

// Fixed, so that every run has the same cases. A failure prints the path to its smallest form.
const RUNS: fc.Parameters<unknown> = {
  seed: 20_261_122,
  numRuns: 120,
  interruptAfterTimeLimit: 100_000,
  markInterruptAsFailure: true,
};
const TIMEOUT_MS = 120_000;

const ALL = Object.values(OPERATIONS) as Operation[];
const WITH_BODY = ALL.filter(({ body }) => body !== undefined);

const fixture = await forFile(openService({ LOG_LEVEL: 'warn' }));
const { api, memberId } = fixture.organization;
const body = { member: { external_id: 'rep_17' }, recipient: { first_name: 'Dana', phone: '+14155550123' } };
const intro = await api.post('/v1/intros', body);
const url = 'https://crm.acme.example/foreword';
const endpoint = await api.post('/v1/webhook_endpoints', { url, active: false });
/** By the first part of the path: an object of the organization. */
const ids: Readonly<Record<string, string>> = {
  intros: intro.body.id,
  members: memberId,
  webhook_endpoints: endpoint.body.id,
};

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

test.each(WITH_BODY.map((operation) => [operation.operationId, operation] as const))(
  '%s responds to every mutated body as documented, and never with a server error',
  { timeout: TIMEOUT_MS },
  async (_name, operation) => {
    const schema = (operation.body as NonNullable<Operation['body']>).schema as unknown as JsonObject;
    const property = fc.asyncProperty(valuesOf(schema), mutations, async (body, changes) => {
      const headers = { 'content-type': 'application/json', 'idempotency-key': nextKey() };
      const text = toText(changes.reduce(mutate, toJsonTree(body)));
      const { api } = fixture.organization;
      expectDocumented(operation, await api.raw(operation.method, pathOf(operation), { headers, body: text }));
    });
    await fc.assert(property, RUNS);
  },
);

test.each(ALL.map((operation) => [operation.operationId, operation] as const))(
  '%s responds to every id and query as documented, and never with a server error',
  { timeout: TIMEOUT_MS },
  async (_name, operation) => {
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
      expectDocumented(operation, await fixture.organization.api.raw(operation.method, path, { headers }));
    });
    await fc.assert(property, RUNS);
  },
);
