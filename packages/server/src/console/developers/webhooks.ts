/** Folder: the developer pages: API keys, webhooks, dry runs and the request log. */

import { WEBHOOK_EVENTS, type WEBHOOKS_OPERATIONS } from '@foreword/contract';
import { countBacklog, MAX_ENDPOINTS } from '../../webhooks/index.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { ConsoleHandlers } from '../operations.ts';

const EVENTS = Object.entries(WEBHOOK_EVENTS).map(([type, { description }]) => ({ type, says: description }));

/** The endpoints of the API, with what the pages show beside them. */
export const createWebhookHandlers = ({
  db,
  use,
}: ConsoleDeps): Pick<ConsoleHandlers, keyof typeof WEBHOOKS_OPERATIONS> => ({
  async readWebhooks(user) {
    const { data } = await use('listWebhookEndpoints', user, { query: { limit: MAX_ENDPOINTS } });
    return { endpoints: data, events: EVENTS, limit: MAX_ENDPOINTS };
  },
  async readWebhook(user, { params }) {
    const endpoint = await use('retrieveWebhookEndpoint', user, { params });
    return { endpoint, events: EVENTS, backlog: await countBacklog(db.kysely, user.tenant, params.id) };
  },
});
