import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../acceptance/support/actions.ts';
import { collectText, forFile, nextKey, openService, runForeword } from '../harness/index.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { anEvent, connect, type Era, newClient, newKey, newWriterKey, toAgent } from './agent.ts';

const fixture = await forFile(openService());
const { key } = await newWriterKey(fixture);

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };

interface Sent {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

const send = ({ method = 'POST', headers = {}, body = PING }: Sent = {}, url = fixture.service.url) =>
  fetch(`${url}/mcp`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    ...(method === 'POST' && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });

// biome-ignore lint/suspicious/noExplicitAny: tests read responses freely, as in the harness.
const bodyOf = async (response: Response): Promise<any> => response.json();
const errorOf = async (response: Response) => ({ status: response.status, ...(await bodyOf(response)).error });

test('an MCP request is answered with JSON, without a session, and no cache may store it', async () => {
  const response = await send();
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toMatch(/^application\/json/);
  expect(response.headers.get('mcp-session-id')).toBeNull();
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(await response.json()).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
  const notification = await send({ body: { jsonrpc: '2.0', method: 'notifications/initialized' } });
  expect({ status: notification.status, body: await notification.text() }).toEqual({ status: 202, body: '' });
});

test.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])('negotiates the version %s', async (version) => {
  const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const answered = await send({ body: { jsonrpc: '2.0', id: 1, method: 'initialize', params } });
  const { result } = await bodyOf(answered);
  expect(result).toMatchObject({ protocolVersion: version, serverInfo: { name: 'foreword' } });
  expect(result.capabilities).toEqual({ tools: {}, resources: {} });
});

test('the official client gets 2026-07-28 where it can choose', async () => {
  const { client } = await connect(fixture.service.url, key);
  expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
});

test('GET and DELETE are 405 with the method that works, because there are no streams and no sessions', async () => {
  for (const method of ['GET', 'DELETE', 'PUT', 'OPTIONS']) {
    const response = await send({ method });
    expect(response.headers.get('allow')).toBe('POST');
    expect(await errorOf(response)).toMatchObject({ status: 405, code: 'method_not_allowed' });
  }
});

describe('the API key', () => {
  test.each([
    ['missing', undefined],
    ['of another scheme', 'Basic Zm9vOmJhcg=='],
    ['unknown', `Bearer fw_test_${'0'.repeat(30)}`],
  ])('is required: %s', async (_, authorization) => {
    const response = await send({ headers: { authorization: authorization ?? '' } });
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    expect(await errorOf(response)).toMatchObject({ status: 401, code: 'unauthorized' });
  });

  test('stops working once it is revoked, for an agent that is connected', async () => {
    const revoked = await newKey(fixture);
    const agent = await connect(fixture.service.url, revoked.key);
    await agent.use('list_touchpoints');
    await fixture.run('key', 'revoke', revoked.id);
    const call = () => agent.use('list_touchpoints').then(String, ({ message }: Error) => message);
    await expect.poll(call).toContain('revoked');
  });

  test('works only from its addresses, including the calls behind a tool', async () => {
    const near = await connect(fixture.service.url, (await newKey(fixture, '--allow-ip', '127.0.0.1')).key);
    expect(await near.use('list_touchpoints')).toHaveProperty('data');
    const { key: far } = await newKey(fixture, '--allow-ip', '203.0.113.0/24');
    const call = (from: string) =>
      send({
        headers: { authorization: `Bearer ${far}`, 'x-forwarded-for': from },
        body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_touchpoints', arguments: {} } },
      });
    expect(await errorOf(await call('198.51.100.1'))).toMatchObject({ status: 401, code: 'unauthorized' });
    expect((await bodyOf(await call('203.0.113.9'))).result).toHaveProperty('structuredContent.object', 'list');
  });
});

test('the rate limit of the key applies to connections and to the calls behind tools', async () => {
  const node = await fixture.newNode({ RATE_LIMIT: '1/1' });
  const { key: slow } = await newWriterKey(fixture);
  const headers = { authorization: `Bearer ${slow}` };
  const body = (id: number) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'create_touchpoint_event', arguments: anEvent(nextKey()) },
  });
  // A slow machine may take seconds for as many requests, so it takes some rounds until both limits refuse one.
  const { refused } = await eventually(
    async () => {
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, id) => send({ headers, body: body(id) }, node.url)),
      );
      const refused = answers.find(({ status }) => status === 429);
      const inside = await Promise.all(answers.filter(({ status }) => status === 200).map((answer) => answer.text()));
      return { refused, isInside: inside.some((text) => text.includes('rate_limited')) };
    },
    (round) => round.refused !== undefined && round.isInside,
    60_000,
  );
  expect(refused?.headers.get('retry-after')).toMatch(/^\d+$/);
});

describe('requests of web pages', () => {
  test.each([
    ['another origin', { origin: 'https://evil.example' }],
    ['an opaque origin', { origin: 'null' }],
    ['another port', { origin: 'http://127.0.0.1:1' }],
  ])('are refused before the key is read: %s', async (_, headers) => {
    const response = await send({ headers: { ...headers, authorization: '' } });
    expect(await errorOf(response)).toMatchObject({ status: 403, code: 'forbidden' });
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('are allowed from the address of the service itself', async () => {
    expect((await send({ headers: { origin: fixture.service.url } })).status).toBe(200);
  });
});

describe('invalid requests', () => {
  test('are refused with what is wrong', async () => {
    expect(await errorOf(await send({ body: '{"jsonrpc"' }))).toMatchObject({ status: 400, code: -32_700 });
    expect(await errorOf(await send({ body: { hello: 1 } }))).toMatchObject({ status: 400 });
    expect((await send({ headers: { 'content-type': 'text/plain' } })).status).toBe(415);
    expect((await send({ headers: { accept: 'text/html' } })).status).toBe(406);
    const unknown = await send({ body: { jsonrpc: '2.0', id: 1, method: 'shell/run' } });
    expect((await bodyOf(unknown)).error).toMatchObject({ code: -32_601 });
  });

  test('do not stop the service: a huge body, deep nesting, thousands of messages', async () => {
    const huge = await send({ body: JSON.stringify({ ...PING, params: { x: 'x'.repeat(70_000) } }) });
    expect(await errorOf(huge)).toMatchObject({ status: 413, code: 'payload_too_large' });
    const deep = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"dry_run","arguments":{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}}}`;
    expect((await send({ body: deep })).status).toBeLessThan(500);
    const many = await send({ body: Array.from({ length: 1_000 }, (_, id) => ({ ...PING, id })) });
    expect(many.status).toBe(400);
    const listen = { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: {} };
    expect(await (await send({ body: listen })).text()).toContain('error');
    expect((await send()).status).toBe(200);
  });
});

test('any node answers any MCP request: an agent uses two nodes in turn', async () => {
  const node = await fixture.newNode({});
  const urls = [fixture.service.url, node.url];
  let sent = 0;
  const inTurn: typeof fetch = (input, init) => {
    const { pathname } = new URL(String(input));
    return fetch(new URL(pathname, urls[sent++ % 2]), init);
  };
  for (const era of ['legacy', 'auto'] as const) {
    const agent = await connect(fixture.service.url, key, { era, fetch: inTurn });
    const event = await agent.use('create_touchpoint_event', anEvent(nextKey()));
    expect(await agent.use('retrieve_event', { id: event.id, wait: 30 })).toMatchObject({ status: 'processed' });
    expect(await agent.use('explain_failure', { id: event.id })).toMatchObject({ status: 'processed' });
  }
  expect(sent).toBeGreaterThan(8);
});

test('the log names the tool and the operation behind it, and no secret, name or number', async () => {
  const service = await fixture.newNode({ LOG_LEVEL: 'info' });
  const agent = await connect(service.url, key);
  await agent.use('create_touchpoint_event', anEvent(nextKey()));
  await service.stop();
  const log = service.output();
  expect(log).toMatch(/"operation":"createTouchpointEvent"/);
  expect(log).toMatch(/"tool":"create_touchpoint_event","operation":"mcp"/);
  expect(log).not.toMatch(/fw_test_|\+1415|Dana/);
});

describe('resources', () => {
  test('are the documentation, every error code, and the OpenAPI document', async () => {
    const { client } = await connect(fixture.service.url, key);
    const { resources } = await client.listResources();
    const uris = resources.map(({ uri }) => uri);
    expect(uris).toEqual(expect.arrayContaining(['foreword://docs/errors', 'foreword://openapi.json']));
    const read = async (uri: string) => {
      const [first] = (await client.readResource({ uri })).contents as { text: string; mimeType: string }[];
      return first?.text ?? '';
    };
    for (const uri of uris) expect((await read(uri)).length).toBeGreaterThan(100);
    expect(await read('foreword://docs/guides/quickstart')).toMatch(/^# /m);
    expect(await read('foreword://docs/errors')).toContain('touchpoint_not_found');
    expect(JSON.parse(await read('foreword://openapi.json'))).toHaveProperty('openapi', '3.1.0');
    for (const uri of ['foreword://docs/../config', 'foreword://docs/nothing', 'file:///etc/passwd'])
      await expect(client.readResource({ uri })).rejects.toThrow();
  });
});

const BIN = path.join(import.meta.dirname, '../../bin/foreword.mjs');

const settings = (changes: Record<string, string> = {}): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  HOME: process.env.HOME ?? '/',
  FOREWORD_URL: fixture.service.url,
  FOREWORD_API_KEY: key,
  ...changes,
});

async function connectProgram(env: Record<string, string>, era: Era = 'auto') {
  const client = newClient(era);
  const transport = new StdioClientTransport({ command: process.execPath, args: [BIN, 'mcp'], env, stderr: 'pipe' });
  let stderr = '';
  transport.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  await client.connect(transport);
  return { ...toAgent(client), transport, stderr: () => stderr };
}

test.each(['legacy', 'auto'] as const)(
  'the official client works through foreword mcp, with the negotiation "%s"',
  async (era) => {
    const agent = await connectProgram(settings(), era);
    onTestFinished(() => agent.client.close());
    expect(agent.client.getNegotiatedProtocolVersion()).toBe(era === 'auto' ? '2026-07-28' : '2025-11-25');
    expect(await agent.toolNames()).toContain('create_intro');
    const event = await agent.use('create_touchpoint_event', anEvent(nextKey()));
    const [processed, touchpoints] = await Promise.all([
      agent.use('retrieve_event', { id: event.id, wait: 30 }),
      agent.use('list_touchpoints'),
    ]);
    expect(processed).toMatchObject({ status: 'processed' });
    expect(touchpoints.data.length).toBeGreaterThan(1);
    const { contents } = await agent.client.readResource({ uri: 'foreword://docs/errors' });
    expect(JSON.stringify(contents)).toContain('touchpoint_not_found');
    const names = await agent.use('list_members', { email: 'jürgen@acme.example' });
    expect(names.data).toEqual([]);
    expect(agent.stderr()).toBe('');
  },
);

test('foreword mcp finds the service that runs with the same data folder, and follows it to another address', async () => {
  const dataDir = temporaryFolder();
  const node = { DATA_DIR: dataDir, ...fixture.environment };
  const first = await fixture.newNode(node);
  const { FOREWORD_URL: _, ...env } = settings({ DATA_DIR: dataDir, ...fixture.environment });
  const agent = await connectProgram(env);
  onTestFinished(() => agent.client.close());
  expect(await agent.toolNames()).toContain('list_intros');
  await first.stop();
  const call = () => agent.use('list_touchpoints').then(String, ({ message }: Error) => message);
  expect(await call()).toMatch(/does not respond|No service runs/);
  await fixture.newNode(node);
  await expect.poll(call).toBe('[object Object]');
  expect(agent.stderr()).toMatch(/^foreword: .+\n/);
});

test.each([
  ['no key', { FOREWORD_API_KEY: '' }, 'FOREWORD_API_KEY is not set'],
  ['a key with a typo', { FOREWORD_API_KEY: 'fw_test_x' }, 'This key has a typo or is incomplete'],
  ['an unknown key', { FOREWORD_API_KEY: `fw_test_${'0'.repeat(24)}2zMZ01` }, ' key '],
  ['nothing at the address', { FOREWORD_URL: 'http://127.0.0.1:1' }, 'does not respond'],
  ['an address that is none', { FOREWORD_URL: 'intros.example.com' }, 'FOREWORD_URL must be a URL'],
  ['no service', { FOREWORD_URL: '', DATA_DIR: '/nonexistent/foreword' }, 'No service runs'],
])('says in one line on stderr what is wrong, and writes nothing to stdout: %s', async (_, changes, problem) => {
  const { code, stdout, stderr } = await runForeword(settings(changes), 'mcp');
  expect({ stdout, lines: stderr.trimEnd().split('\n').length }).toEqual({ stdout: '', lines: 1 });
  expect(stderr).toMatch(/^foreword: /);
  expect(stderr).toContain(problem);
  expect(stderr).not.toContain('fw_test_0');
  expect(code).not.toBe(0);
});

test('foreword mcp takes no key as an argument, where other users of the machine could read it', async () => {
  const { code, stderr } = await runForeword(settings(), 'mcp', '--key', key);
  expect({ code, hasKey: stderr.includes(key) }).toEqual({ code: 2, hasKey: false });
});

test('foreword mcp answers what is pending when stdin ends, writes only messages to stdout, and exits with 0', async () => {
  const child = spawn(process.execPath, [BIN, 'mcp'], { env: settings(), stdio: ['pipe', 'pipe', 'pipe'] });
  const stdout = collectText(child.stdout);
  const closed = once(child, 'close');
  const initialize = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  for (const [id, method, params] of [
    [1, 'initialize', initialize],
    [2, 'tools/list', {}],
    [3, 'no/such', {}],
  ])
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
  child.stdin.end('{"not json\n');
  expect((await closed)[0]).toBe(0);
  const answers = stdout()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: number; jsonrpc: string });
  expect(answers.map(({ id }) => id).sort()).toEqual([1, 2, 3]);
  expect(answers.every(({ jsonrpc }) => jsonrpc === '2.0')).toBe(true);
});
