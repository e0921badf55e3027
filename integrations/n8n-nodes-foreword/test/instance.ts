import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type * as N8n from 'n8n-workflow';
import {
  additionalData,
  type Credential,
  core,
  execute,
  loadWorkflow,
  nodeTypes,
  type Settings,
  type WorkflowJson,
} from './n8n.ts';

interface Delivery {
  readonly status: number;
  /** The execution that the webhook started, if any. */
  readonly run?: N8n.IRun;
}

/**
 * The part of an n8n server that activates workflows and receives webhooks: its own contexts and engine, around our trigger.
 * The steps are those of n8n's WebhookService and of its webhook helpers.
 */
export class Instance {
  readonly deliveries: Delivery[] = [];
  /** The workflow's data as n8n stores it: written after an activation, read at the next start. */
  staticData: N8n.IDataObject = {};
  /** `webhook` for active workflows, `webhook-test` while the editor listens. */
  mode: 'webhook' | 'webhook-test' = 'webhook';
  readonly #json: WorkflowJson;
  readonly #trigger: string;
  readonly #server: http.Server;
  readonly #credential: Credential;

  private constructor(json: WorkflowJson, trigger: string, credential: Credential) {
    this.#json = json;
    this.#trigger = trigger;
    this.#credential = credential;
    this.#server = http.createServer((request, response) => void this.#receive(request, response));
  }

  static async start(json: WorkflowJson, trigger: string, credential: Credential): Promise<Instance> {
    const instance = new Instance(json, trigger, credential);
    await new Promise<void>((resolve) => instance.#server.listen(0, '127.0.0.1', resolve));
    return instance;
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  get settings(): Settings {
    return { credential: this.#credential, url: `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}` };
  }

  get url(): string {
    const { webhookId } = this.#load().getNode(this.#trigger) as N8n.INode;
    return `${this.settings.url}/${this.mode}/${webhookId}/webhook`;
  }

  #load(): N8n.Workflow {
    return loadWorkflow({ ...this.#json, staticData: structuredClone(this.staticData) });
  }

  #save(workflow: N8n.Workflow): void {
    this.staticData = JSON.parse(JSON.stringify(workflow.staticData));
  }

  get #executionMode(): N8n.WorkflowExecuteMode {
    return this.mode === 'webhook-test' ? 'manual' : 'webhook';
  }

  async #call(workflow: N8n.Workflow, method: 'checkExists' | 'create' | 'delete'): Promise<boolean | undefined> {
    const node = workflow.getNode(this.#trigger) as N8n.INode;
    const type = nodeTypes.getByNameAndVersion(node.type, 1);
    const data = additionalData(this.settings);
    const webhook = { isTest: this.mode === 'webhook-test' } as N8n.IWebhookData;
    const mode = this.mode === 'webhook-test' ? 'manual' : 'trigger';
    const context = new core.HookContext(workflow, node, data, mode, 'activate', webhook);
    return type.webhookMethods?.default?.[method]?.call(context);
  }

  async activate(): Promise<void> {
    const workflow = this.#load();
    if (!(await this.#call(workflow, 'checkExists'))) await this.#call(workflow, 'create');
    this.#save(workflow);
  }

  async deactivate(): Promise<void> {
    const workflow = this.#load();
    await this.#call(workflow, 'delete');
    this.#save(workflow);
  }

  async #receive(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const rawBody = Buffer.concat(chunks);
    const answer = (status: number, body: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    // The members of Express that n8n offers to nodes.
    const req = Object.assign(request, { rawBody, readRawBody: async () => {}, body: {}, query: {}, params: {} });
    const res = { status: (status: number) => ({ json: (body: unknown) => answer(status, body) }) };
    const workflow = this.#load();
    const node = workflow.getNode(this.#trigger) as N8n.INode;
    const data = additionalData(this.settings);
    Object.assign(data, { httpRequest: req, httpResponse: res });
    const webhook = { webhookDescription: { name: 'default' } } as N8n.IWebhookData;
    const context = new core.WebhookContext(workflow, node, data, this.#executionMode, webhook, [], null);
    const type = nodeTypes.getByNameAndVersion(node.type, 1);
    const result = (await type.webhook?.call(context)) as N8n.IWebhookResponseData;
    if (result.noWebhookResponse !== true) answer(200, result.webhookResponse ?? { message: 'Workflow was started' });
    const items = result.workflowData?.[0];
    const run = items && (await execute(workflow, this.#trigger, items, this.settings));
    this.deliveries.push({ status: response.statusCode, ...(run && { run }) });
  }
}
