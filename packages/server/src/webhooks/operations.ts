import type { WebhookEndpointWithSecret } from '@foreword/contract';
import type { Services } from '../app/services.ts';
import { readPage, readPeriod } from '../db/lists.ts';
import type { Tx } from '../db/tenancy.ts';
import type { Caller, ChangeId, Handlers, Input, KeyedChange } from '../http/index.ts';
import { ApiError } from '../platform/errors.ts';
import { ID_PATTERN } from '../platform/ids.ts';
import type { Seal } from '../platform/seal.ts';
import { type ContentSeal, openResponse, sealResponse } from './sealing.ts';
import {
  createEndpoint,
  presentAttempt,
  presentEndpoint,
  presentMessage,
  removeEndpoint,
  replay,
  requireEndpoint,
  rotateSecret,
  sendTest,
  updateEndpoint,
} from './service.ts';
import { findEndpoint, findMessage, hasAttempt, listAttempts, listEndpoints, listMessages } from './store.ts';

export function webhookOperations(
  deps: Pick<Services, 'db' | 'clock'> & {
    readonly seal: Seal;
    readonly contents: ContentSeal;
    readonly allowPrivate: boolean;
  },
) {
  const { seal, contents } = deps;
  const { kysely } = deps.db;
  /** Responses are stored for long, so the secret is sealed there. */
  const withSecret = <K extends ChangeId>(
    run: (tx: Tx, caller: Caller, input: Input<K>) => Promise<WebhookEndpointWithSecret>,
  ): KeyedChange<K> => ({
    run: async (tx, caller, input) => sealResponse(seal, caller.organizationId, await run(tx, caller, input)),
    present: (stored: WebhookEndpointWithSecret, caller) => openResponse(seal, caller.organizationId, stored),
  });
  return {
    createWebhookEndpoint: withSecret((tx, caller, { body }) => createEndpoint(deps, tx, caller, body)),
    listWebhookEndpoints: (caller, { query }) =>
      readPage(query, {
        exists: async (id) => (await findEndpoint(kysely, caller, id)) !== null,
        rows: (page) => listEndpoints(kysely, caller, page),
        present: presentEndpoint,
      }),
    retrieveWebhookEndpoint: async (caller, { params }) =>
      presentEndpoint(await requireEndpoint(kysely, caller, params.id)),
    updateWebhookEndpoint: (tx, caller, { params, body }) => updateEndpoint(deps, tx, caller, params.id, body),
    deleteWebhookEndpoint: (tx, caller, { params }) => removeEndpoint(tx, caller, params.id),
    rotateWebhookSecret: withSecret((tx, caller, { params }) => rotateSecret(deps, tx, caller, params.id)),
    testWebhookEndpoint: (tx, caller, { params, body }) => sendTest(deps, tx, caller, params.id, body),
    async listWebhookMessages(caller, { params: { id }, query }) {
      await requireEndpoint(kysely, caller, id);
      const filter = { type: query.type, status: query.status, ...readPeriod(query) };
      return readPage(query, {
        exists: async (message) => (await findMessage(kysely, caller, message, id)) !== null,
        rows: (page) => listMessages(kysely, caller, id, filter, page),
        present: (row) => presentMessage(contents, row),
      });
    },
    /** With the state of its delivery to this endpoint, or to the oldest one. */
    async retrieveWebhookMessage(caller, { params: { id }, query: { endpoint } }) {
      const isPossible = ID_PATTERN.test(id) && (endpoint === undefined || ID_PATTERN.test(endpoint));
      const row = isPossible ? await findMessage(kysely, caller, id, endpoint) : null;
      if (row === null) {
        throw new ApiError(
          'not_found',
          'No webhook message with this id in this organization and environment. Messages are kept for 30 days.',
        );
      }
      return presentMessage(contents, row);
    },
    async listWebhookAttempts(caller, { params: { id }, query }) {
      await requireEndpoint(kysely, caller, id);
      return readPage(query, {
        exists: (attempt) => hasAttempt(kysely, caller, id, attempt),
        rows: (page) => listAttempts(kysely, caller, id, page),
        present: (row) => presentAttempt(contents, row),
      });
    },
    replayWebhooks: (tx, caller, { params, body }) => replay(deps, tx, caller, params.id, body),
  } satisfies Partial<Handlers>;
}
