import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, test } from 'vitest';
import { collectText, forFile, nextKey, openService, runForeword } from '../harness/index.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { anEvent, type Era, newClient, newWriterKey, toAgent } from './agent.ts';

const BIN = path.join(import.meta.dirname, '../../bin/foreword.mjs');

const fixture = await forFile(openService());
const { key } = await newWriterKey(fixture);

const settings = (changes: Record<string, string> = {}): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  HOME: process.env.HOME ?? '/',
  FOREWORD_URL: fixture.service.url,
  FOREWORD_API_KEY: key,
  ...changes,
});

async function connect(env: Record<string, string>, era: Era = 'auto') {
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
    const agent = await connect(settings(), era);
    try {
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
    } finally {
      await agent.client.close();
    }
  },
);

test('foreword mcp finds the service that runs with the same data folder, and follows it to another address', async () => {
  const dataDir = temporaryFolder();
  const node = { DATA_DIR: dataDir, ...fixture.environment };
  const first = await fixture.newNode(node);
  const { FOREWORD_URL: _, ...env } = settings({ DATA_DIR: dataDir, ...fixture.environment });
  const agent = await connect(env);
  try {
    expect(await agent.toolNames()).toContain('list_intros');
    await first.stop();
    const call = () => agent.use('list_touchpoints').then(String, ({ message }: Error) => message);
    expect(await call()).toMatch(/does not respond|No service runs/);
    await fixture.newNode(node);
    await expect.poll(call).toBe('[object Object]');
    expect(agent.stderr()).toMatch(/^foreword: .+\n/);
  } finally {
    await agent.client.close();
  }
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
