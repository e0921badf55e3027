import fs from 'node:fs';
import { expect, test } from 'vitest';
import { createTestDatabase, foreword, forFile, startService } from '../harness/index.ts';
import { listOperations } from './published.ts';
import { guideBlock, Workspace } from './workspace.ts';

interface Execution {
  readonly item: { readonly id: string; readonly name: string };
  readonly assertions?: readonly { readonly error?: { readonly message: string } }[];
  readonly response?: { readonly code: number; readonly header: { readonly key: string; readonly value: string }[] };
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
  expect(executions).toHaveLength(listOperations().length);
});

test('a validating proxy finds no violation in the requests and responses of that run', () => {
  const headers = executions.flatMap(({ response }) => response?.header ?? []);
  expect(headers.filter(({ key }) => key.toLowerCase() === 'sl-violations')).toEqual([]);
});
