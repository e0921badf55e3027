import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import type * as Core from 'n8n-core';
import type * as N8n from 'n8n-workflow';
import { INSTALLED } from './install.ts';

// n8n creates its settings in the user's folder when it is loaded.
process.env.N8N_USER_FOLDER = fs.mkdtempSync(path.join(os.tmpdir(), 'foreword-n8n-'));
process.env.N8N_LOG_LEVEL = 'silent';
process.on('exit', () => fs.rmSync(process.env.N8N_USER_FOLDER ?? '', { recursive: true, force: true }));

const require = createRequire(import.meta.url);
export const core = require('n8n-core') as typeof Core;
export const n8n = require('n8n-workflow') as typeof N8n;

/** Our package, loaded from the tarball by n8n's own loader. */
export const loader = new core.PackageDirectoryLoader(INSTALLED);
await loader.loadAll();

export const FOREWORD = 'n8n-nodes-foreword.foreword';
export const TRIGGER = 'n8n-nodes-foreword.forewordTrigger';

/** n8n runs a webhook node by passing on what the webhook received. This stands for such a node, and for a manual start. */
const start = (name: string) => ({
  description: {
    displayName: name,
    name,
    group: ['trigger'],
    version: [1, 2, 2.1],
    description: '',
    defaults: { name },
    inputs: [],
    outputs: ['main'],
    properties: [],
    webhooks: [],
  },
  webhook: async () => ({}),
});

const STARTS: Readonly<Record<string, unknown>> = {
  'n8n-nodes-base.webhook': start('webhook'),
  'n8n-nodes-base.manualTrigger': start('manualTrigger'),
};

function findType(type: string): N8n.INodeType {
  const [, name = ''] = type.split('.');
  const found = type.startsWith('n8n-nodes-foreword.') ? loader.getNode(name).type : STARTS[type];
  if (found === undefined) throw new Error(`no node of the type ${type}`);
  return found as N8n.INodeType;
}

export const nodeTypes: N8n.INodeTypes = {
  getByName: findType,
  getByNameAndVersion: findType,
  getKnownTypes: () => ({}),
};

export interface Credential {
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** Resolves `={{$credentials.…}}` of a credential type like n8n does. */
function authenticate(
  data: N8n.ICredentialDataDecryptedObject,
  options: N8n.IHttpRequestOptions,
  workflow: N8n.Workflow,
  node: N8n.INode,
): N8n.IHttpRequestOptions {
  const { type } = loader.getCredential('forewordApi');
  const { properties } = type.authenticate as N8n.IAuthenticateGeneric;
  const headers = Object.entries(properties.headers ?? {}).map(([name, value]) => [
    name,
    workflow.expression.getSimpleParameterValue(
      node,
      value as string,
      'internal',
      { $credentials: data },
      undefined,
      '',
    ),
  ]);
  return { ...options, headers: { ...options.headers, ...Object.fromEntries(headers) } };
}

function credentialsHelper(credential: Credential): N8n.ICredentialsHelper {
  const data = { ...credential };
  return {
    getParentTypes: () => [],
    isCredentialUsableByNode: () => true,
    authenticate: async (given, _type, options, workflow, node) =>
      authenticate(given, options as N8n.IHttpRequestOptions, workflow as N8n.Workflow, node as N8n.INode),
    preAuthentication: async () => undefined,
    runPreAuthentication: async () => undefined,
    getCredentials: async () => {
      throw new Error('not used');
    },
    getDecrypted: async () => data,
    updateCredentials: async () => {},
    updateCredentialsOauthTokenData: async () => {},
    getCredentialsProperties: (type) => loader.getCredential(type).type.properties,
  };
}

export interface Settings {
  readonly credential: Credential;
  /** The public address of n8n. */
  readonly url?: string;
}

export function additionalData({ credential, url = 'http://127.0.0.1:1' }: Settings, workflow?: N8n.IWorkflowBase) {
  return {
    credentialsHelper: credentialsHelper(credential),
    hooks: new core.ExecutionLifecycleHooks('webhook', '1', workflow as N8n.IWorkflowBase),
    currentNodeExecutionIndex: 0,
    restApiUrl: `${url}/rest`,
    instanceBaseUrl: url,
    webhookBaseUrl: `${url}/webhook`,
    webhookTestBaseUrl: `${url}/webhook-test`,
    webhookWaitingBaseUrl: `${url}/webhook-waiting`,
    formBaseUrl: `${url}/form`,
    formWaitingBaseUrl: `${url}/form-waiting`,
    formTestBaseUrl: `${url}/form-test`,
    mcpBaseUrl: `${url}/mcp`,
    mcpTestBaseUrl: `${url}/mcp-test`,
    variables: {},
    executionId: '1',
    logAiEvent: () => {},
  } as unknown as N8n.IWorkflowExecuteAdditionalData;
}

export interface WorkflowJson {
  readonly name: string;
  readonly nodes: readonly Partial<N8n.INode>[];
  readonly connections: N8n.IConnections;
  readonly staticData?: N8n.IDataObject;
}

/** A workflow as n8n loads it from its database. */
export function loadWorkflow(json: WorkflowJson): N8n.Workflow {
  return new n8n.Workflow({
    id: 'wf_1',
    name: json.name,
    nodes: structuredClone(json.nodes) as N8n.INode[],
    connections: json.connections,
    active: true,
    nodeTypes,
    ...(json.staticData && { staticData: json.staticData }),
    settings: { executionOrder: 'v1' },
  });
}

/** Executes a workflow with n8n's engine, from this node and with these items. */
export async function execute(
  workflow: N8n.Workflow,
  from: string,
  items: readonly N8n.INodeExecutionData[],
  settings: Settings,
): Promise<N8n.IRun> {
  const node = workflow.getNode(from);
  if (node === null) throw new Error(`no node ${from}`);
  const runExecutionData = n8n.createRunExecutionData({
    executionData: { nodeExecutionStack: [{ node, data: { main: [[...items]] }, source: null }] },
  });
  return new core.WorkflowExecute(additionalData(settings), 'webhook', runExecutionData).processRunExecutionData(
    workflow,
  );
}

/** A workflow that starts with items and has one Foreword node. */
export const singleNode = (parameters: N8n.INodeParameters, node: Partial<N8n.INode> = {}): WorkflowJson => ({
  name: 'Test',
  nodes: [
    { id: 'n1', name: 'Start', type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, position: [0, 0], parameters: {} },
    {
      id: 'n2',
      name: 'Foreword',
      type: FOREWORD,
      typeVersion: 1,
      position: [200, 0],
      parameters,
      credentials: { forewordApi: { id: '1', name: 'Foreword' } },
      ...node,
    },
  ],
  connections: { Start: { main: [[{ node: 'Foreword', type: 'main', index: 0 }]] } },
});

export interface NodeResult {
  readonly status: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read items freely.
  readonly json: any[];
  readonly items: readonly N8n.INodeExecutionData[];
  /** Items of the second output, if the node sends errors there. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read items freely.
  readonly errorOutput: any[];
  // biome-ignore lint/suspicious/noExplicitAny: errors of n8n with our details.
  readonly error: any;
}

/** The output of one node of an execution. */
export function resultOf(run: N8n.IRun, name: string): NodeResult {
  const task = run.data.resultData.runData[name]?.[0];
  const [items, errors] = task?.data?.main ?? [];
  return {
    status: run.status,
    items: items ?? [],
    json: (items ?? []).map(({ json }) => json),
    errorOutput: (errors ?? []).map(({ json }) => json),
    error: run.data.resultData.error,
  };
}

/** Runs one Foreword node on items. */
export async function runNode(
  parameters: N8n.INodeParameters,
  settings: Settings,
  items: readonly N8n.IDataObject[] = [{}],
  node: Partial<N8n.INode> = {},
): Promise<NodeResult> {
  const workflow = loadWorkflow(singleNode(parameters, node));
  const inputs = items.map((json) => ({ json: json as N8n.IDataObject }));
  return resultOf(await execute(workflow, 'Start', inputs as N8n.INodeExecutionData[], settings), 'Foreword');
}
