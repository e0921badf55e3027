import { randomUUID } from 'node:crypto';
import type { IDataObject, IHookFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { listObjects } from '../shared/paging';
import { callForeword, findObject } from '../shared/request';

/** The endpoint that this node created. n8n keeps it with the workflow. */
export interface StoredEndpoint extends IDataObject {
  readonly id: string;
  readonly secret: string;
}

interface Modes {
  getMode(): string;
  getWorkflowStaticData(type: string): IDataObject;
}

/**
 * The stored endpoints by mode. "Listen for test event" and the active workflow have different URLs, so each has its own
 * endpoint; with one place for both, a test would replace the endpoint of the active workflow.
 */
const stateOf = (context: Modes): { place: IDataObject; name: string } => ({
  place: context.getWorkflowStaticData('node'),
  name: context.getMode() === 'manual' ? 'test' : 'production',
});

export function readStored(context: Modes): StoredEndpoint | undefined {
  const { place, name } = stateOf(context);
  return place[name] as StoredEndpoint | undefined;
}

function forget(context: Modes): void {
  const { place, name } = stateOf(context);
  delete place[name];
}

const MAX_DESCRIPTION = 200;

function describeWorkflow(context: IHookFunctions): string {
  const { name, id } = context.getWorkflow();
  const text = `n8n workflow ${name ?? id ?? ''}`.replaceAll(/\p{Cc}+/gu, ' ').trim();
  return [...text].slice(0, MAX_DESCRIPTION).join('');
}

function readUrl(context: IHookFunctions): string {
  const url = context.getNodeWebhookUrl('default');
  if (url !== undefined) return url;
  throw new NodeOperationError(context.getNode(), 'n8n has no URL for this webhook');
}

const readEvents = (context: IHookFunctions): string[] => context.getNodeParameter('events', []) as string[];

const isSameSet = (left: readonly string[], right: readonly string[]): boolean =>
  left.length === right.length && left.every((one) => right.includes(one));

const pathOf = (id: string): string => `/v1/webhook_endpoints/${encodeURIComponent(id)}`;

/** An endpoint that no longer exists is fine: it was deleted in the console. */
async function remove(context: IHookFunctions, id: string): Promise<void> {
  await findObject(context, { method: 'DELETE', path: pathOf(id), idempotencyKey: `n8n:delete:${id}` });
}

/**
 * Whether the stored endpoint still exists as this node configures it. One that differs is deleted, so that it is replaced. One that is
 * off is turned on again, so that what failed in the meantime can be resent to it.
 */
export async function isRegistered(context: IHookFunctions): Promise<boolean> {
  const stored = readStored(context);
  if (stored === undefined) return false;
  const endpoint = await findObject(context, { method: 'GET', path: pathOf(stored.id) });
  if (endpoint?.url === readUrl(context) && isSameSet(endpoint.events as string[], readEvents(context))) {
    const turnOn = { method: 'POST', path: pathOf(stored.id), body: { active: true } } as const;
    if (endpoint.active !== true) await callForeword(context, { ...turnOn, idempotencyKey: `n8n:on:${randomUUID()}` });
    return true;
  }
  if (endpoint !== undefined) await remove(context, stored.id);
  forget(context);
  return false;
}

/** Creates the endpoint and stores its secret, which the service shows only now. */
export async function register(context: IHookFunctions): Promise<boolean> {
  const url = readUrl(context);
  const events = readEvents(context);
  if (events.length === 0) throw new NodeOperationError(context.getNode(), 'Select at least one event');
  // If n8n stopped between creating an endpoint and storing its secret, that endpoint remains. No other node has this URL.
  const endpoints = await listObjects(context, { path: '/v1/webhook_endpoints' });
  for (const leftover of endpoints.filter((endpoint) => endpoint.url === url))
    await remove(context, String(leftover.id));
  const { id, secret } = await callForeword(context, {
    method: 'POST',
    path: '/v1/webhook_endpoints',
    body: { url, events, description: describeWorkflow(context) },
    // One key per activation, which its retries share. A key built from the URL would return a deleted endpoint later.
    idempotencyKey: `n8n:webhook:${randomUUID()}`,
  });
  const { place, name } = stateOf(context);
  place[name] = { id: String(id), secret: String(secret) } satisfies StoredEndpoint;
  return true;
}

export async function unregister(context: IHookFunctions): Promise<boolean> {
  const stored = readStored(context);
  if (stored !== undefined) await remove(context, stored.id);
  forget(context);
  return true;
}
