import {
  type CreateWebhookEndpoint,
  ERRORS,
  type List,
  type ListWebhookMessagesQuery,
  type PageQuery,
  type ReplayWebhooks,
  type TestWebhook,
  type UpdateWebhookEndpoint,
  WEBHOOK_EXAMPLES,
  WEBHOOK_TEST,
  type WebhookAttempt,
  type WebhookEndpoint,
  type WebhookEventType,
  type WebhookMessage,
  type WebhookReplay,
} from '@foreword/contract';
import type { Transaction } from 'kysely';
import { changedFields, recordChange } from '../audit/index.ts';
import type { Row, Tables, Tenant } from '../db/tenancy.ts';
import { once } from '../idempotency/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database, Queryable } from '../platform/db.ts';
import { ApiError, invalid } from '../platform/errors.ts';
import { ID_PATTERN, newId } from '../platform/ids.ts';
import { parseInstant } from '../platform/instants.ts';
import type { Answer } from '../platform/operations.ts';
import { explainUrl } from '../platform/outbound.ts';
import { readPage, readPeriod } from '../platform/paging.ts';
import type { Seal } from '../platform/seal.ts';
import type { ContentSeal } from './contents.ts';
import { addEndpoint, removeEndpoint } from './endpoints.ts';
import { presentAttempt, presentEndpoint, presentMessage, presentWithSecret } from './present.ts';
import { newMessageDueAt, previousSecretExpiry } from './rules.ts';
import { createSecret, openResponse, sealResponse, sealSecret } from './signing.ts';
import * as deliveries from './store/deliveries.ts';
import { findMessage, listMessages } from './store/messages.ts';
import { listObjectWebhooks, type ObjectWebhook } from './store/object-webhooks.ts';
import * as store from './store.ts';

const PATH = '/v1/webhook_endpoints';

const notFound = () =>
  new ApiError('not_found', 'No webhook endpoint with this id in this organization and environment.');

async function find(db: Queryable<Tables>, tenant: Tenant, id: string): Promise<Row<'webhook_endpoints'>> {
  const row = ID_PATTERN.test(id) ? await store.findEndpoint(db, tenant, id) : null;
  if (row === null) throw notFound();
  return row;
}

function requireActive(row: Row<'webhook_endpoints'>): void {
  if (!row.active) throw new ApiError('webhook_endpoint_inactive', ERRORS.webhook_endpoint_inactive.example);
}

const sampleOf = (type: WebhookEventType): object => {
  const [example] = Object.values<{ readonly value: { readonly data: object } }>(WEBHOOK_EXAMPLES[type]);
  if (example === undefined) throw new Error(`there is no example of ${type}`);
  return example.value.data;
};

/** Sends a test message to this endpoint only. Types other than the test itself have the data of their sample. */
export async function sendTest(
  tx: Transaction<Tables>,
  contents: ContentSeal,
  row: Row<'webhook_endpoints'>,
  now: Date,
  { type = WEBHOOK_TEST.type }: TestWebhook = {},
): Promise<WebhookMessage> {
  const data = type === WEBHOOK_TEST.type ? { object: 'webhook_test', endpoint: row.id } : sampleOf(type);
  const place = { organization_id: row.organization_id, id: newId('msg', now) };
  const message = {
    ...place,
    environment: row.environment,
    type,
    sealed_payload: contents.sealPayload(place, JSON.stringify({ type, timestamp: now.toISOString(), data })),
    object_id: null,
    created_at: now,
    is_test: true,
  };
  const dueAt = newMessageDueAt(now);
  await deliveries.insertEndpointMessage(tx, row.id, message, dueAt);
  await deliveries.wakeSender(tx, { organizationId: row.organization_id, environment: row.environment }, row.id);
  const delivery = { endpoint_id: row.id, status: 'pending', due_at: dueAt, attempts: 0 } as const;
  return presentMessage(contents, { ...message, ...delivery });
}

/** The request body of the API, plus an end of the period. */
export type Replay = ReplayWebhooks & { readonly until?: string };

export interface WebhookService {
  create(tenant: Tenant, key: string, body: CreateWebhookEndpoint): Promise<Answer>;
  list(tenant: Tenant, query: PageQuery): Promise<List<WebhookEndpoint>>;
  retrieve(tenant: Tenant, id: string): Promise<WebhookEndpoint>;
  update(tenant: Tenant, key: string, id: string, body: UpdateWebhookEndpoint): Promise<Answer>;
  remove(tenant: Tenant, key: string, id: string, body: unknown): Promise<Answer>;
  rotate(tenant: Tenant, key: string, id: string, body: unknown): Promise<Answer>;
  test(tenant: Tenant, key: string, id: string, body: TestWebhook): Promise<Answer>;
  attempts(tenant: Tenant, id: string, query: PageQuery): Promise<List<WebhookAttempt>>;
  replay(tenant: Tenant, key: string, id: string, body: Replay): Promise<Answer>;
  /** A message with the state of its delivery to this endpoint, or to the oldest one. */
  message(tenant: Tenant, id: string, endpointId?: string): Promise<WebhookMessage>;
  /** The messages to this endpoint, newest first. */
  messages(tenant: Tenant, id: string, query: ListWebhookMessagesQuery): Promise<List<WebhookMessage>>;
  /** The messages about one object with their deliveries and attempts, newest first. */
  ofObject(tenant: Tenant, objectId: string): Promise<readonly ObjectWebhook[]>;
  backlog(tenant: Tenant, id: string): Promise<deliveries.Backlog>;
}

interface Deps {
  readonly db: Database<Tables>;
  readonly clock: Clock;
  readonly seal: Seal;
  readonly contents: ContentSeal;
  readonly allowPrivate: boolean;
}

type Work = (tx: Transaction<Tables>) => Promise<{ objectId: string; body: string }>;

/** The operations that change an endpoint or send to it, each once per idempotency key. */
function createWrites({ db, clock, seal, contents, allowPrivate }: Deps) {
  const keyed = (tenant: Tenant, key: string, id: string, action: string, body: unknown, work: Work) =>
    once(db, { tenant, key, method: 'POST', path: `${PATH}/${id}${action}`, body }, work);

  const requireUrl = (url: string | undefined) => {
    const problem = url === undefined ? null : explainUrl(url, { allowPrivate });
    if (problem !== null) throw invalid('url', problem);
  };

  const unseal = (tenant: Tenant, answer: Answer): Answer => ({
    ...answer,
    body: openResponse(seal, tenant.organizationId, answer.body),
  });

  const change = async (tx: Transaction<Tables>, tenant: Tenant, id: string, body: UpdateWebhookEndpoint) => {
    const before = await find(tx, tenant, id);
    const { url, description, events, active } = body;
    const row = await store.updateEndpoint(tx, tenant, id, {
      ...(url !== undefined && { url, failing_since: null }),
      ...(description !== undefined && { description: description || null }),
      ...(events !== undefined && { events }),
      ...(active !== undefined && { active }),
      // Enabling it is a fresh start: its earlier failures no longer count.
      ...(active === true && { disabled_reason: null, failing_since: null }),
    });
    if (row === null) throw notFound();
    const { url: newUrl, description: newDescription, events: newEvents, active: newActive } = row;
    const fields = changedFields(before, {
      url: newUrl,
      description: newDescription,
      events: newEvents,
      active: newActive,
    });
    if (fields.length > 0) await recordChange(tx, tenant, { action: 'webhook.changed', object: id, fields });
    if (active === false) await deliveries.failPending(tx, tenant, id);
    return { objectId: id, body: JSON.stringify(presentEndpoint(row)) };
  };

  return {
    async create(tenant: Tenant, key: string, body: CreateWebhookEndpoint): Promise<Answer> {
      requireUrl(body.url);
      const answer = await once(db, { tenant, key, method: 'POST', path: PATH, body }, async (tx) => {
        const { row, secret } = await addEndpoint(tx, { clock, seal }, tenant, body);
        return { objectId: row.id, body: sealResponse(seal, row, presentWithSecret(row, secret)) };
      });
      return unseal(tenant, answer);
    },
    async update(tenant: Tenant, key: string, id: string, body: UpdateWebhookEndpoint): Promise<Answer> {
      requireUrl(body.url);
      return keyed(tenant, key, id, '', body, (tx) => change(tx, tenant, id, body));
    },
    remove: (tenant: Tenant, key: string, id: string, body: unknown): Promise<Answer> =>
      once(db, { tenant, key, method: 'DELETE', path: `${PATH}/${id}`, body }, async (tx) => {
        if (!ID_PATTERN.test(id) || !(await removeEndpoint(tx, tenant, id))) throw notFound();
        return { objectId: id, body: JSON.stringify({ id, object: 'webhook_endpoint', deleted: true }) };
      }),
    async rotate(tenant: Tenant, key: string, id: string, body: unknown): Promise<Answer> {
      const answer = await keyed(tenant, key, id, '/rotate_secret', body, async (tx) => {
        const { organization_id } = await find(tx, tenant, id);
        const secret = createSecret();
        const sealed = sealSecret(seal, { organization_id, id }, secret);
        const row = await store.rotateSecret(tx, tenant, id, sealed, previousSecretExpiry(clock()));
        if (row === undefined) throw notFound();
        await recordChange(tx, tenant, { action: 'webhook.secret_rotated', object: id });
        return { objectId: id, body: sealResponse(seal, row, presentWithSecret(row, secret)) };
      });
      return unseal(tenant, answer);
    },
    test: (tenant: Tenant, key: string, id: string, body: TestWebhook): Promise<Answer> =>
      keyed(tenant, key, id, '/test', body, async (tx) => {
        const row = await find(tx, tenant, id);
        requireActive(row);
        const message = await sendTest(tx, contents, row, clock(), body);
        return { objectId: message.id, body: JSON.stringify(message) };
      }),
    replay: (tenant: Tenant, key: string, id: string, body: Replay): Promise<Answer> =>
      keyed(tenant, key, id, '/replay', body, async (tx) => {
        requireActive(await find(tx, tenant, id));
        const messages = await redeliver(tx, tenant, id, body, newMessageDueAt(clock()));
        await deliveries.wakeSender(tx, tenant, id);
        await recordChange(tx, tenant, { action: 'webhook.replayed', object: id });
        const replay: WebhookReplay = { object: 'webhook_replay', endpoint: id, messages };
        return { objectId: id, body: JSON.stringify(replay) };
      }),
  };
}

async function redeliver(
  tx: Transaction<Tables>,
  tenant: Tenant,
  id: string,
  { message, since, until }: Replay,
  dueAt: Date,
): Promise<number> {
  if (message === undefined) {
    const start = since === undefined ? null : parseInstant(since);
    if (start === null) throw invalid('since', 'must be a time');
    const end = until === undefined ? undefined : parseInstant(until);
    if (end === null || (end !== undefined && end <= start)) throw invalid('until', 'must be a time after since');
    return deliveries.redeliver(tx, tenant, id, { since: start, until: end }, dueAt);
  }
  const found = ID_PATTERN.test(message) ? await deliveries.redeliver(tx, tenant, id, { message }, dueAt) : 0;
  if (found === 0) throw invalid('message', 'must be the ID of a message sent to this endpoint in the last 30 days');
  return found;
}

export function createWebhookService(deps: Deps): WebhookService {
  const { contents } = deps;
  const { kysely } = deps.db;
  return {
    ...createWrites(deps),
    list: (tenant, query) =>
      readPage(query, {
        exists: async (id) => (await store.findEndpoint(kysely, tenant, id)) !== null,
        rows: (page) => store.listEndpoints(kysely, tenant, page),
        present: presentEndpoint,
      }),
    retrieve: async (tenant, id) => presentEndpoint(await find(kysely, tenant, id)),
    async message(tenant, id, endpointId) {
      const row = ID_PATTERN.test(id) ? await findMessage(kysely, tenant, id, endpointId) : null;
      if (row === null) {
        throw new ApiError(
          'not_found',
          'No webhook message with this id in this organization and environment. Messages are kept for 30 days.',
        );
      }
      return presentMessage(contents, row);
    },
    async messages(tenant, id, query) {
      await find(kysely, tenant, id);
      const filter = { type: query.type, status: query.status, ...readPeriod(query) };
      return readPage(query, {
        exists: async (message) => (await findMessage(kysely, tenant, message, id)) !== null,
        rows: (page) => listMessages(kysely, tenant, id, filter, page),
        present: (row) => presentMessage(contents, row),
      });
    },
    ofObject: (tenant, objectId) => listObjectWebhooks(kysely, contents, tenant, objectId),
    async backlog(tenant, id) {
      await find(kysely, tenant, id);
      return deliveries.countBacklog(kysely, tenant, id);
    },
    async attempts(tenant, id, query) {
      await find(kysely, tenant, id);
      return readPage(query, {
        exists: (attempt) => deliveries.hasAttempt(kysely, tenant, id, attempt),
        rows: (page) => deliveries.listAttempts(kysely, tenant, id, page),
        present: (row) => presentAttempt(contents, row),
      });
    },
  };
}
