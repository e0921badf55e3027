/** Folder: the developer pages: API keys, webhooks, dry runs and the request log. */

import {
  type ReplaySpan,
  WEBHOOK_EVENTS,
  type WebhookEndpoint,
  type WebhookEndpointWithSecret,
  type WebhookMessage,
  type WebhookReplay,
} from '@foreword/contract';
import { invalid } from '../../platform/errors.ts';
import type { Answer } from '../../platform/operations.ts';
import { MAX_ENDPOINTS, type Replay } from '../../webhooks/index.ts';
import type { ConsoleDeps } from '../deps.ts';
import { type ConsoleHandlers, retryKey } from '../operations.ts';

const EVENTS = Object.entries(WEBHOOK_EVENTS).map(([type, { description }]) => ({ type, says: description }));

/** These operations are idempotent by nature, so every click can be a new request. */
const requestKey = (requestId: string): string => `console:${requestId}`;

const bodyOf = <T>({ body }: Answer): T => (typeof body === 'string' ? JSON.parse(body) : body) as T;

/** Requires exactly one of `message` and `since`. */
function readReplay({ message, since, until }: ReplaySpan): Replay {
  if ((message === undefined) === (since === undefined))
    throw invalid('body', 'must have exactly one of message, since');
  if (message !== undefined && until !== undefined) throw invalid('until', 'can only be used together with since');
  return { ...(message !== undefined && { message }), ...(since !== undefined && { since }), ...(until && { until }) };
}

type Keys =
  | 'GET /webhooks'
  | 'POST /webhooks'
  | 'GET /webhooks/:id'
  | 'POST /webhooks/:id'
  | 'DELETE /webhooks/:id'
  | 'POST /webhooks/:id/rotate-secret'
  | 'POST /webhooks/:id/test'
  | 'GET /webhooks/:id/attempts'
  | 'GET /webhooks/:id/messages/:message'
  | 'POST /webhooks/:id/replay';

export function createWebhookHandlers({ webhooks }: ConsoleDeps): Pick<ConsoleHandlers, Keys> {
  return {
    async 'GET /webhooks'({ user: { tenant } }) {
      const { data } = await webhooks.list(tenant, { limit: MAX_ENDPOINTS });
      return { endpoints: data, events: EVENTS, limit: MAX_ENDPOINTS };
    },
    async 'POST /webhooks'({ user, body: { key, ...wanted } }) {
      return bodyOf<WebhookEndpointWithSecret>(await webhooks.create(user.tenant, retryKey(user, key), wanted));
    },
    async 'GET /webhooks/:id'({ user: { tenant }, params: { id } }) {
      const endpoint = await webhooks.retrieve(tenant, id);
      return { endpoint, events: EVENTS, backlog: await webhooks.backlog(tenant, id) };
    },
    async 'POST /webhooks/:id'({ user: { tenant }, params: { id }, body, requestId }) {
      return bodyOf<WebhookEndpoint>(await webhooks.update(tenant, requestKey(requestId), id, body));
    },
    async 'DELETE /webhooks/:id'({ user: { tenant }, params: { id }, requestId }) {
      await webhooks.remove(tenant, requestKey(requestId), id, {});
      return { deleted: true };
    },
    // A retry returns the same secret. A new one would replace the secret that receivers already use.
    async 'POST /webhooks/:id/rotate-secret'({ user, params: { id }, body: { key } }) {
      return bodyOf<WebhookEndpointWithSecret>(await webhooks.rotate(user.tenant, retryKey(user, key), id, {}));
    },
    async 'POST /webhooks/:id/test'({ user: { tenant }, params: { id }, body, requestId }) {
      return bodyOf<WebhookMessage>(await webhooks.test(tenant, requestKey(requestId), id, body));
    },
    async 'GET /webhooks/:id/attempts'({ user: { tenant }, params: { id }, query }) {
      const { data, has_more } = await webhooks.attempts(tenant, id, query);
      return { attempts: data, has_more };
    },
    'GET /webhooks/:id/messages/:message': ({ user: { tenant }, params: { id, message } }) =>
      webhooks.message(tenant, message, id),
    async 'POST /webhooks/:id/replay'({ user: { tenant }, params: { id }, body, requestId }) {
      const { messages } = bodyOf<WebhookReplay>(
        await webhooks.replay(tenant, requestKey(requestId), id, readReplay(body)),
      );
      return { messages };
    },
  };
}
