import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import type * as N8n from 'n8n-workflow';
import { expect, test } from 'vitest';
import { forFile, openService } from '../../../packages/server/test/harness/index.ts';
import { INSTALLED, PACKAGE } from './install.ts';
import {
  additionalData,
  core,
  FOREWORD,
  loader,
  loadWorkflow,
  n8n,
  nodeTypes,
  type Settings,
  singleNode,
} from './n8n.ts';

const fixture = await forFile(openService());
const settings: Settings = { credential: { baseUrl: fixture.service.url, apiKey: fixture.organization.key } };

test("n8n's linter has no findings", async () => {
  const eslint = path.join(PACKAGE, 'node_modules/eslint/bin/eslint.js');
  // With NODE_ENV=test, the linter expects the file names of its own tests.
  const options = { cwd: PACKAGE, env: { ...process.env, NODE_ENV: 'production' } };
  const { stdout } = await promisify(execFile)(process.execPath, [eslint, '.', '--max-warnings', '0'], options);
  expect(stdout).toBe('');
});

test("these tests use n8n's interfaces as they are typed", async () => {
  const tsc = path.join(PACKAGE, '../../node_modules/typescript/bin/tsc');
  const { stdout } = await promisify(execFile)(process.execPath, [tsc, '-p', import.meta.dirname]);
  expect(stdout).toBe('');
});

test('the tarball has the built nodes, and neither dependencies nor scripts that n8n would run', () => {
  const files = fs.readdirSync(INSTALLED, { recursive: true, encoding: 'utf8' });
  const named = (end: string) => files.filter((file) => file.endsWith(end)).sort();
  expect(named('.node.js')).toEqual([
    'dist/nodes/Foreword/Foreword.node.js',
    'dist/nodes/ForewordTrigger/ForewordTrigger.node.js',
  ]);
  expect(named('.svg')).toEqual(['dist/icons/foreword.dark.svg', 'dist/icons/foreword.svg']);
  expect([...named('.ts'), ...named('.test.js')]).toEqual([]);
  expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md']));
  const manifest = JSON.parse(fs.readFileSync(path.join(INSTALLED, 'package.json'), 'utf8'));
  expect(manifest.dependencies).toBeUndefined();
  for (const name of ['preinstall', 'install', 'postinstall', 'prepare'])
    expect(manifest.scripts).not.toHaveProperty(name);
});

test('n8n finds the nodes, their icons, their categories and the credential', () => {
  expect(loader.known.nodes).toMatchObject({ foreword: {}, forewordTrigger: {} });
  for (const { description } of Object.values(loader.nodeTypes).map(({ type }) => type as N8n.INodeType)) {
    const urls = Object.values(description.iconUrl as object) as string[];
    expect(urls).toHaveLength(2);
    for (const url of urls)
      expect(fs.existsSync(path.join(INSTALLED, url.replace(/^icons\/n8n-nodes-foreword\//, '')))).toBe(true);
    expect(description.codex?.categories).toEqual(['Sales', 'Communication']);
    expect(description.communityNodePackageVersion).toBe('0.1.0');
  }
  expect(loader.getCredential('forewordApi').type.supportedNodes).toEqual(['foreword', 'forewordTrigger']);
  expect((loader.getNode('foreword').type as N8n.INodeType).description.usableAsTool).toBe(true);
});

/** Runs the request of the credential's test like n8n's tester: as a declarative node with only this request. */
async function testCredential(credential: Settings['credential']): Promise<void> {
  const { type } = loader.getCredential('forewordApi');
  const node = { ...singleNode({}).nodes[1], parameters: { temp: '' } } as N8n.INode;
  const description = {
    ...(loader.getNode('foreword').type as N8n.INodeType).description,
    properties: [
      { displayName: 'Temp', name: 'temp', type: 'string', default: '', routing: { request: type.test?.request } },
    ],
  };
  const workflow = loadWorkflow(singleNode({}));
  const data = { main: [[{ json: {} }]] };
  const executeData = { node, data, source: null };
  const run = n8n.createRunExecutionData();
  const context = new core.ExecuteContext(
    workflow,
    node,
    additionalData({ credential }),
    'internal',
    run,
    0,
    data.main[0] ?? [],
    data,
    executeData,
    [],
  );
  const decrypted = { id: '1', name: 'Foreword', type: 'forewordApi', data: { ...credential } };
  await new core.RoutingNode(context, { description } as N8n.INodeType, decrypted).runNode();
}

test('the test of the credential accepts a valid key and rejects a wrong one', async () => {
  const { baseUrl, apiKey } = settings.credential;
  await testCredential({ baseUrl: `${baseUrl}/`, apiKey });
  await expect(testCredential({ baseUrl, apiKey: 'fw_test_wrong' })).rejects.toThrow(/Authorization failed/);
});

type Search = (this: N8n.ILoadOptionsFunctions, filter?: string, token?: string) => Promise<N8n.INodeListSearchResult>;

test('the pickers list active touchpoints and members, filter them, and continue with the next page', async () => {
  for (let at = 0; at < 105; at += 1) {
    const body = { external_id: `p_${at}`, first_name: 'Pat', last_name: `No${at}`, email: `pat${at}@acme.example` };
    await fixture.api.post('/v1/members', body);
  }
  const workflow = loadWorkflow(singleNode({}));
  const node = workflow.getNode('Foreword') as N8n.INode;
  const search = (name: string, ...args: Parameters<Search>) => {
    const context = new core.LoadOptionsContext(workflow, node, additionalData(settings), 'parameters.member');
    const found = nodeTypes.getByNameAndVersion(FOREWORD).methods?.listSearch?.[name] as Search;
    return found.call(context as never, ...args);
  };
  const touchpoints = await search('searchTouchpoints', 'INSPECTION');
  expect(touchpoints.results).toContainEqual({ name: expect.any(String), value: 'new_inspection' });
  expect(touchpoints.results.every(({ name }) => /inspection/i.test(name))).toBe(true);
  const first = await search('searchMembers');
  expect(first.results).toHaveLength(100);
  const second = await search('searchMembers', undefined, first.paginationToken as string);
  expect(second.paginationToken).toBeUndefined();
  const all = [...first.results, ...second.results];
  expect(new Set(all.map(({ value }) => value)).size).toBe(106);
  expect(all).toContainEqual({ name: 'Ana Ng (ana@acme.example)', value: fixture.organization.memberId });
});
