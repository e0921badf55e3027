import { expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { exampleRequest, listOperations, responseExamples } from './published.ts';
import { guideBlock, Workspace } from './workspace.ts';

const ID = 'int_01kahzv8e1f0rtx5m2q6n9d3bw';

const workspace = await forFile(Promise.resolve(new Workspace()));
const url = await workspace.start(guideBlock('prism-cli mock'));

test.each(listOperations())('$operationId of the mock server responds with named examples', async (operation) => {
  const { path, init } = exampleRequest(operation, ID);
  const examples = responseExamples(operation);
  const read = async (prefer?: string) => {
    const headers = { ...init.headers, ...(prefer && { prefer }) };
    const response = await fetch(url + path, { ...init, headers });
    return { status: String(response.status), value: await response.json() };
  };
  const first = examples.find(({ status }) => status.startsWith('2'));
  expect(await read()).toEqual({ status: first?.status, value: first?.value });
  for (const { status, name, value } of examples)
    expect(await read(`code=${status}, example=${name}`), name).toEqual({ status, value });
});

test('the mock server rejects an invalid request with the 422 of the service', async () => {
  const [method, body] = ['POST', JSON.stringify({ member: {}, recipient: { first_name: 'Dana' } })];
  const headers = { authorization: 'Bearer any', 'idempotency-key': 'k', 'content-type': 'application/json' };
  const response = await fetch(`${url}/v1/intros`, { method, headers, body });
  expect(response.status).toBe(422);
  expect(await response.json()).toMatchObject({ error: { code: 'validation_failed' } });
});

test('Spectral has nothing to say about openapi.json, not even a hint', async () => {
  workspace.write('.spectral.yaml', 'extends: ["spectral:oas"]\n');
  const output = await workspace.run('npx @stoplight/spectral-cli lint openapi.json --fail-severity hint');
  expect(output).toContain('No results');
});
