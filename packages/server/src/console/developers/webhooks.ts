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
import type { ConsoleHandlers } from '../operations.ts';
import { retryKey } from '../retry-keys.ts';

const EVENTS = Object.entries(WEBHOOK_EVENTS).map(([type, { says }]) => ({ type, says }));

/** Of what comes to the same when it is done twice, each press of a button is a request of its own. */
const keyOf = (requestId: string): string => `console:${requestId}`;

const bodyOf = <T>({ body }: Answer): T => (typeof body === 'string' ? JSON.parse(body) : body) as T;

/** Exactly one of a message and a span, and none that ends before it begins. */
function readReplay({ message, since, until }: ReplaySpan): Replay {
  if ((message === undefined) === (since === undefined))
    throw invalid('body', 'must hold exactly one of message, since');
  if (message !== undefined && until !== undefined) throw invalid('until', 'goes with since alone');
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
      return bodyOf<WebhookEndpoint>(await webhooks.update(tenant, keyOf(requestId), id, body));
    },
    async 'DELETE /webhooks/:id'({ user: { tenant }, params: { id }, requestId }) {
      await webhooks.remove(tenant, keyOf(requestId), id, {});
      return { deleted: true };
    },
    // A second try brings the same secret: another one would put an unseen one in the place of the one that receivers know.
    async 'POST /webhooks/:id/rotate-secret'({ user, params: { id }, body: { key } }) {
      return bodyOf<WebhookEndpointWithSecret>(await webhooks.rotate(user.tenant, retryKey(user, key), id, {}));
    },
    async 'POST /webhooks/:id/test'({ user: { tenant }, params: { id }, requestId }) {
      return bodyOf<WebhookMessage>(await webhooks.test(tenant, keyOf(requestId), id, {}));
    },
    async 'GET /webhooks/:id/attempts'({ user: { tenant }, params: { id }, query }) {
      const { data, has_more } = await webhooks.attempts(tenant, id, query);
      return { attempts: data, has_more };
    },
    'GET /webhooks/:id/messages/:message': ({ user: { tenant }, params: { id, message } }) =>
      webhooks.message(tenant, id, message),
    async 'POST /webhooks/:id/replay'({ user: { tenant }, params: { id }, body, requestId }) {
      const { messages } = bodyOf<WebhookReplay>(await webhooks.replay(tenant, keyOf(requestId), id, readReplay(body)));
      return { messages };
    },
  };
}
