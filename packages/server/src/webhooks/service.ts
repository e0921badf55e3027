import {
  type CreateWebhookEndpoint,
  ERRORS,
  type ReplayWebhooks,
  type TestWebhook,
  type UpdateWebhookEndpoint,
  WEBHOOK_TEST,
  type WebhookAttempt,
  type WebhookEndpoint,
  type WebhookEndpointWithSecret,
  type WebhookMessage,
  type WebhookReplay,
  webhookExample,
} from '@foreword/contract';
import { type Db, lockOrganization, type Row, type Tenant, type Tx } from '../db/tenancy.ts';
import type { Clock } from '../platform/clock.ts';
import { ApiError, invalid } from '../platform/errors.ts';
import { ID_PATTERN, newId } from '../platform/ids.ts';
import { parseInstant } from '../platform/instants.ts';
import { pick } from '../platform/json.ts';
import { explainUrl } from '../platform/outbound.ts';
import type { Seal } from '../platform/seal.ts';
import { changedFields, recordChange } from '../privacy/audit/index.ts';
import { MAX_ENDPOINTS, newMessageDueAt, previousSecretExpiry } from './rules.ts';
import { type ContentSeal, createSecret, sealSecret } from './sealing.ts';
import type { EndpointMessageRow } from './store.ts';
import * as store from './store.ts';

export const presentEndpoint = (row: Row<'webhook_endpoints'>): WebhookEndpoint => ({
  id: row.id,
  object: 'webhook_endpoint',
  url: row.url,
  description: row.description,
  // Validated against the contract before they were stored.
  events: row.events as WebhookEndpoint['events'],
  ...pick(row, 'active', 'disabled_reason', 'failing_since', 'environment', 'created_at'),
});

/** Keeps the field order of the contract. */
function presentWithSecret(row: Row<'webhook_endpoints'>, secret: string): WebhookEndpoint & { secret: string } {
  const { environment, created_at, ...rest } = presentEndpoint(row);
  return { ...rest, secret, environment, created_at };
}

export const presentMessage = (contents: ContentSeal, row: EndpointMessageRow): WebhookMessage => ({
  id: row.id,
  object: 'webhook_message',
  endpoint: row.endpoint_id,
  type: row.type,
  test: row.is_test,
  status: row.status,
  attempts: row.attempts,
  // A new message is due slightly before it was created, for senders whose clock is behind.
  next_attempt_at: row.due_at && new Date(Math.max(row.due_at.getTime(), row.created_at.getTime())).toISOString(),
  payload: contents.openPayload(row),
  environment: row.environment,
  created_at: row.created_at.toISOString(),
});

export const presentAttempt = (contents: ContentSeal, row: Row<'webhook_attempts'>): WebhookAttempt => ({
  id: row.id,
  object: 'webhook_attempt',
  message: row.message_id,
  ...pick(row, 'type', 'succeeded', 'status', 'error', 'duration_ms'),
  answer: contents.openAnswer(row),
  ...pick(row, 'next_attempt_at', 'environment', 'created_at'),
});

const notFound = () =>
  new ApiError('not_found', 'No webhook endpoint with this id in this organization and environment.');

/** Throws 404 if there is none. */
export async function requireEndpoint(db: Db, tenant: Tenant, id: string): Promise<Row<'webhook_endpoints'>> {
  const row = ID_PATTERN.test(id) ? await store.findEndpoint(db, tenant, id) : null;
  if (row === null) throw notFound();
  return row;
}

function requireActive(row: Row<'webhook_endpoints'>): void {
  if (!row.active) throw new ApiError('webhook_endpoint_inactive', ERRORS.webhook_endpoint_inactive.example);
}

interface EndpointDeps {
  readonly clock: Clock;
  readonly seal: Seal;
  readonly contents: ContentSeal;
  readonly allowPrivate: boolean;
}

function requireUrl(url: string | undefined, { allowPrivate }: Pick<EndpointDeps, 'allowPrivate'>): void {
  const problem = url === undefined ? null : explainUrl(url, { allowPrivate });
  if (problem !== null) throw invalid('url', problem);
}

/** Throws an ApiError if the organization has reached its limit. */
export async function createEndpoint(
  deps: Pick<EndpointDeps, 'clock' | 'seal' | 'allowPrivate'>,
  tx: Tx,
  tenant: Tenant,
  { url, description, events = ['*'], active = true }: CreateWebhookEndpoint,
): Promise<WebhookEndpointWithSecret> {
  requireUrl(url, deps);
  await lockOrganization(tx, tenant);
  if ((await store.listEndpoints(tx, tenant)).length >= MAX_ENDPOINTS) {
    throw new ApiError('webhook_endpoint_limit', ERRORS.webhook_endpoint_limit.example);
  }
  const now = deps.clock();
  const secret = createSecret();
  const place = { organization_id: tenant.organizationId, id: newId('whk', now) };
  const row: Row<'webhook_endpoints'> = {
    ...place,
    environment: tenant.environment,
    url,
    description: description || null,
    events,
    active,
    disabled_reason: null,
    secret: sealSecret(deps.seal, place, secret),
    previous_secret: null,
    previous_secret_expires_at: null,
    failing_since: null,
    created_at: now,
  };
  await store.insertEndpoint(tx, row);
  await recordChange(tx, tenant, { action: 'webhook.created', object: row.id });
  return presentWithSecret(row, secret);
}

export async function updateEndpoint(
  deps: Pick<EndpointDeps, 'allowPrivate'>,
  tx: Tx,
  tenant: Tenant,
  id: string,
  { url, description, events, active }: UpdateWebhookEndpoint,
): Promise<WebhookEndpoint> {
  requireUrl(url, deps);
  const before = await requireEndpoint(tx, tenant, id);
  const row = await store.updateEndpoint(tx, tenant, id, {
    ...(url !== undefined && { url, failing_since: null }),
    ...(description !== undefined && { description: description || null }),
    ...(events !== undefined && { events }),
    ...(active !== undefined && { active }),
    // Enabling it is a fresh start: its earlier failures no longer count.
    ...(active === true && { disabled_reason: null, failing_since: null }),
  });
  if (row === null) throw notFound();
  const after = { url: row.url, description: row.description, events: row.events, active: row.active };
  const fields = changedFields(before, after);
  if (fields.length > 0) await recordChange(tx, tenant, { action: 'webhook.changed', object: id, fields });
  if (active === false) await store.failPending(tx, tenant, id);
  return presentEndpoint(row);
}

export async function removeEndpoint(tx: Tx, tenant: Tenant, id: string) {
  if (!ID_PATTERN.test(id) || !(await store.deleteEndpoint(tx, tenant, id))) throw notFound();
  await recordChange(tx, tenant, { action: 'webhook.deleted', object: id });
  return { id, object: 'webhook_endpoint', deleted: true } as const;
}

export async function rotateSecret(
  { clock, seal }: Pick<EndpointDeps, 'clock' | 'seal'>,
  tx: Tx,
  tenant: Tenant,
  id: string,
): Promise<WebhookEndpointWithSecret> {
  await requireEndpoint(tx, tenant, id);
  const secret = createSecret();
  const sealed = sealSecret(seal, { organization_id: tenant.organizationId, id }, secret);
  const row = await store.rotateSecret(tx, tenant, id, sealed, previousSecretExpiry(clock()));
  if (row === undefined) throw notFound();
  await recordChange(tx, tenant, { action: 'webhook.secret_rotated', object: id });
  return presentWithSecret(row, secret);
}

/** Sends a test message to this endpoint only. Types other than the test itself have the data of their sample. */
export async function sendTest(
  { clock, contents }: Pick<EndpointDeps, 'clock' | 'contents'>,
  tx: Tx,
  tenant: Tenant,
  id: string,
  { type = WEBHOOK_TEST.type }: TestWebhook = {},
): Promise<WebhookMessage> {
  requireActive(await requireEndpoint(tx, tenant, id));
  const now = clock();
  const data = type === WEBHOOK_TEST.type ? { object: 'webhook_test', endpoint: id } : webhookExample(type).data;
  const place = { organization_id: tenant.organizationId, id: newId('msg', now) };
  const message = {
    ...place,
    environment: tenant.environment,
    type,
    sealed_payload: contents.sealPayload(place, JSON.stringify({ type, timestamp: now.toISOString(), data })),
    object_id: null,
    created_at: now,
    is_test: true,
  };
  const dueAt = newMessageDueAt(now);
  await store.insertEndpointMessage(tx, id, message, dueAt);
  await store.wakeSender(tx, tenant, id);
  const delivery = { endpoint_id: id, status: 'pending', due_at: dueAt, attempts: 0 } as const;
  return presentMessage(contents, { ...message, ...delivery });
}

async function redeliver(
  tx: Tx,
  tenant: Tenant,
  id: string,
  { message, since, until }: ReplayWebhooks,
  dueAt: Date,
): Promise<number> {
  if ((message === undefined) === (since === undefined)) {
    throw invalid('body', 'must contain exactly one of message, since');
  }
  if (message === undefined) {
    const start = since === undefined ? null : parseInstant(since);
    if (start === null) throw invalid('since', 'must be a time');
    const end = until === undefined ? undefined : parseInstant(until);
    if (end === null || (end !== undefined && end <= start)) throw invalid('until', 'must be a time after since');
    return store.redeliver(tx, tenant, id, { since: start, until: end }, dueAt);
  }
  if (until !== undefined) throw invalid('until', 'can only be used together with since');
  const found = ID_PATTERN.test(message) ? await store.redeliver(tx, tenant, id, { message }, dueAt) : 0;
  if (found === 0) throw invalid('message', 'must be the ID of a message sent to this endpoint in the last 30 days');
  return found;
}

/** Sends messages again. */
export async function replay(
  { clock }: Pick<EndpointDeps, 'clock'>,
  tx: Tx,
  tenant: Tenant,
  id: string,
  wanted: ReplayWebhooks,
): Promise<WebhookReplay> {
  requireActive(await requireEndpoint(tx, tenant, id));
  const messages = await redeliver(tx, tenant, id, wanted, newMessageDueAt(clock()));
  await store.wakeSender(tx, tenant, id);
  await recordChange(tx, tenant, { action: 'webhook.replayed', object: id });
  return { object: 'webhook_replay', endpoint: id, messages };
}
