/** Folder: the developer pages: API keys, webhooks, dry runs and the request log. */

import { type ReplaySpan, WEBHOOK_EVENTS } from '@foreword/contract';
import { invalid } from '../../platform/errors.ts';
import { countBacklog, MAX_ENDPOINTS, type Replay, replay } from '../../webhooks/index.ts';
import type { ConsoleDeps } from '../deps.ts';
import { type ConsoleHandlers, callerOf, retryKey } from '../operations.ts';

const EVENTS = Object.entries(WEBHOOK_EVENTS).map(([type, { description }]) => ({ type, says: description }));

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

/** Without a key, a change runs with each click: it is idempotent by nature. */
export function createWebhookHandlers(deps: ConsoleDeps): Pick<ConsoleHandlers, Keys> {
  const { db, use } = deps;
  return {
    async 'GET /webhooks'({ user }) {
      const { data } = await use('listWebhookEndpoints', callerOf(user), { query: { limit: MAX_ENDPOINTS } });
      return { endpoints: data, events: EVENTS, limit: MAX_ENDPOINTS };
    },
    'POST /webhooks': ({ user, body: { key, ...body } }) =>
      use('createWebhookEndpoint', callerOf(user), { key: retryKey(user, key), body }),
    async 'GET /webhooks/:id'({ user, params }) {
      const endpoint = await use('retrieveWebhookEndpoint', callerOf(user), { params });
      return { endpoint, events: EVENTS, backlog: await countBacklog(db.kysely, user.tenant, params.id) };
    },
    'POST /webhooks/:id': ({ user, params, body }) => use('updateWebhookEndpoint', callerOf(user), { params, body }),
    async 'DELETE /webhooks/:id'({ user, params }) {
      await use('deleteWebhookEndpoint', callerOf(user), { params });
      return { deleted: true };
    },
    // A retry returns the same secret. A new one would replace the secret that receivers already use.
    'POST /webhooks/:id/rotate-secret': ({ user, params, body: { key } }) =>
      use('rotateWebhookSecret', callerOf(user), { key: retryKey(user, key), params }),
    'POST /webhooks/:id/test': ({ user, params, body }) => use('testWebhookEndpoint', callerOf(user), { params, body }),
    async 'GET /webhooks/:id/attempts'({ user, params, query }) {
      const { data, has_more } = await use('listWebhookAttempts', callerOf(user), { params, query });
      return { attempts: data, has_more };
    },
    'GET /webhooks/:id/messages/:message': ({ user, params: { id: endpoint, message: id } }) =>
      use('retrieveWebhookMessage', callerOf(user), { params: { id }, query: { endpoint } }),
    'POST /webhooks/:id/replay': ({ user: { tenant }, params: { id }, body }) =>
      db.kysely.transaction().execute((tx) => replay(deps, tx, tenant, id, readReplay(body))),
  };
}
