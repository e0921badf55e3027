import fs from 'node:fs';
import { expect, test } from 'vitest';
import { createTestDatabase, foreword, forFile, startService } from '../harness/index.ts';
import { exampleRequest, type ListedOperation, listOperations } from './published.ts';
import { guideBlock, Workspace } from './workspace.ts';

interface Execution {
  readonly item: { readonly id: string; readonly name: string };
  readonly assertions?: readonly { readonly error?: { readonly message: string } }[];
  readonly response?: { readonly code: number; readonly header: { readonly key: string; readonly value: string }[] };
}

const UNKNOWN_ID = 'int_01kahzv8e1f0rtx5m2q6n9d3bw';
const OPERATIONS = listOperations();

/** The violations that Prism found in a response; an invalid request has others. */
function readViolations(header: string | null | undefined): string[] {
  const all = JSON.parse(header ?? '[]') as { location: string[]; message: string }[];
  return all
    .filter(({ location }) => location[0] === 'response')
    .map(({ location, message }) => `${location}: ${message}`);
}

interface Mistake {
  readonly name: string;
  readonly status: number;
  readonly query?: string;
  readonly headers?: Record<string, string>;
  readonly without?: string;
  readonly body?: string;
}

/** Mistakes of callers: one at a time, in a request that is otherwise valid. */
function listMistakes({ operationId, parameters, path, requestBody }: ListedOperation): Mistake[] {
  const isKeyed = parameters.some(({ name }) => name === 'Idempotency-Key');
  const newKey = isKeyed ? { headers: { 'idempotency-key': `test:${operationId}` } } : {};
  return [
    { name: 'no key', without: 'authorization', status: 401 },
    { name: 'unknown query parameter', query: '?nonsense=1', status: 422 },
    ...(isKeyed ? [{ name: 'no Idempotency-Key', without: 'idempotency-key', status: 422 }] : []),
    ...(requestBody ? [{ name: 'unknown field', body: '{"nonsense":1}', status: 422 }] : []),
    ...(requestBody?.required ? [{ name: 'no JSON', headers: { 'content-type': 'text/plain' }, status: 415 }] : []),
    ...(path.includes('{') ? [{ name: 'unknown id', ...newKey, status: 404 }] : []),
    // The run has used the key of the example for another object.
    ...(isKeyed && path.includes('{') ? [{ name: 'used Idempotency-Key', status: 409 }] : []),
  ];
}

// A service as after its first `npm start`: the demo organization, and a key that may do everything.
const database = await forFile(createTestDatabase(), (opened) => opened.drop());
const { environment } = database;
const service = await forFile(startService({ ...environment, RATE_LIMIT: 'off' }), (opened) => opened.stop());
const [organization] = (await foreword(environment, 'org', 'list')).data;
const every = ['--scope', 'full', '--allow-recording-links', 'true'];
const { key } = await foreword(environment, 'key', 'create', '--org', organization.id, ...every);

// One run for everything: Prism stands between Newman and the service, and changes nothing but a header.
const workspace = await forFile(Promise.resolve(new Workspace({ FOREWORD_URL: service.url, FOREWORD_API_KEY: key })));
const proxy = await workspace.start(guideBlock('prism-cli proxy'));
const report = '--reporters json --reporter-json-export report.json';
await workspace.run(`FOREWORD_URL=${proxy}\n${guideBlock('newman run').trim()} ${report} || test -s report.json`);
const all: Execution[] = JSON.parse(fs.readFileSync(workspace.path('report.json'), 'utf8')).run.executions;
/** The last request of each item; those before it only prepared it. */
const executions = [...new Map(all.map((one) => [one.item.id, one])).values()];

test('every request of an import into Postman succeeds on a fresh demo', () => {
  const failures = executions
    .filter(({ response, assertions = [] }) => !/^2/.test(`${response?.code}`) || assertions.some(({ error }) => error))
    .map(({ item, response, assertions }) => [item.name, response?.code, assertions?.[0]?.error?.message]);
  expect(failures).toEqual([]);
  expect(executions).toHaveLength(OPERATIONS.length);
});

test('a validating proxy finds no violation in the requests and responses of that run', () => {
  const headers = executions.flatMap(({ response }) => response?.header ?? []);
  expect(headers.filter(({ key }) => key.toLowerCase() === 'sl-violations')).toEqual([]);
});

test.each(OPERATIONS)('a validating proxy finds no violation in the errors of $operationId', async (operation) => {
  const { path, init } = exampleRequest(operation, UNKNOWN_ID);
  const mistakes = listMistakes(operation);
  const found = [];
  for (const { name, query = '', headers, without, body } of mistakes) {
    const sent = new Headers({ ...init.headers, authorization: `Bearer ${key}`, ...headers });
    if (without !== undefined) sent.delete(without);
    const response = await fetch(proxy + path + query, { ...init, headers: sent, ...(body && { body }) });
    found.push([name, response.status, readViolations(response.headers.get('sl-violations'))]);
  }
  expect(found).toEqual(mistakes.map(({ name, status }) => [name, status, []]));
});
