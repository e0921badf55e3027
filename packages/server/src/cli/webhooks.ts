import { WebhookChoice, WebhookUrl } from '@foreword/contract';
import { Type } from 'typebox';
import { type Config, readConfig } from '../config.ts';
import { requireSameKey } from '../links/index.ts';
import { testTenant } from '../organizations/index.ts';
import { systemClock } from '../platform/clock.ts';
import type { Queryable } from '../platform/db.ts';
import { ApiError } from '../platform/errors.ts';
import type { Answer } from '../platform/operations.ts';
import { explainUrl } from '../platform/outbound.ts';
import { createSeal, type Seal } from '../platform/seal.ts';
import { openServerKey } from '../platform/server-key.ts';
import type { Tables, Tenant, WebhookEndpointRow } from '../tables.ts';
import {
  addEndpoint,
  createWebhookService,
  deleteEndpoint,
  findEndpointAcrossTenants,
  listEndpoints,
  presentEndpoint,
  presentMessage,
  presentWithSecret,
  SEAL_PURPOSE,
  sendTest,
  type WebhookService,
} from '../webhooks/index.ts';
import { choice, databaseCommand, keyedCommand, Organization, type Shown } from './command.ts';
import { Failure, UsageError } from './failure.ts';
import { requireOrganization } from './organizations.ts';
import { showList, showObject } from './print.ts';
import type { KeyedSession } from './session.ts';

const EndpointId = Type.String({ description: 'Id of the endpoint, as foreword webhook list shows it.' });
const SOME_ID = 'whk_01kahzv8e1f0rtx5m2q6n9d3bw';

async function requireEndpoint(db: Queryable<Tables>, id: string): Promise<WebhookEndpointRow> {
  const row = await findEndpointAcrossTenants(db, id);
  if (row === null) throw new Failure(`There is no webhook endpoint with the id "${id}". See foreword webhook list.`);
  return row;
}

/** The same as the service's, or a complaint that it could not read what is sealed here. */
async function openSeal(db: Queryable<Tables>, config: Config): Promise<Seal> {
  const key = openServerKey({ dataDir: config.dataDir, given: config.serverKey });
  await requireSameKey(db, key);
  return createSeal(key.derive(SEAL_PURPOSE));
}

async function orFailure<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof ApiError ? new Failure(error.message) : error;
  }
}

/** Has the API do it: to an endpoint of any organization, by id alone. */
async function asApi(
  { db, key }: KeyedSession,
  id: string,
  act: (service: WebhookService, tenant: Tenant, key: string) => Promise<Answer>,
): Promise<Shown> {
  const config = readConfig();
  const { organization_id } = await requireEndpoint(db.kysely, id);
  const seal = await openSeal(db.kysely, config);
  const service = createWebhookService({ db, clock: systemClock, seal, allowPrivate: config.webhooksAllowPrivate });
  const { body } = await orFailure(act(service, testTenant(organization_id), key));
  return (typeof body === 'string' ? JSON.parse(body) : body) as Shown;
}

function checkUrl(command: string, url: string): void {
  const problem = explainUrl(url, { allowPrivate: readConfig().webhooksAllowPrivate });
  if (problem !== null) throw new UsageError(`--url ${problem}. See foreword webhook ${command} --help.`);
}

const show = (row: WebhookEndpointRow): Shown => presentEndpoint(row);

export const webhookCommands = [
  databaseCommand({
    path: ['webhook', 'create'],
    says: 'Creates an endpoint that is told what happens, and shows the secret that signs its webhooks this once.',
    input: Type.Object({
      org: Organization,
      url: WebhookUrl,
      events: Type.Optional(
        Type.Array(WebhookChoice, {
          description: 'Which events it gets, such as intro.ready or intro.*. Default: all.',
        }),
      ),
    }),
    example:
      'foreword webhook create --org "$ORG" --url https://crm.acme.example/foreword --events intro.ready --events intro.sent',
    check: ({ url }) => checkUrl('create', url),
    async run(tx, { org, url, events = ['*'] }) {
      const { id } = await requireOrganization(tx, org);
      const seal = await openSeal(tx, readConfig());
      const endpoint = { url, events, active: true };
      return orFailure(addEndpoint(tx, { clock: systemClock, seal }, testTenant(id), endpoint));
    },
    show: ({ row, secret }) =>
      showObject(
        presentWithSecret(row, secret),
        'The secret is shown only this once: the receiver needs it to tell our webhooks from forged ones.',
      ),
  }),
  databaseCommand({
    path: ['webhook', 'list'],
    says: 'Lists the webhook endpoints of an organization, newest first.',
    input: Type.Object({ org: Organization }),
    example: 'foreword webhook list --org "$ORG"',
    async run(tx, { org }) {
      const { id } = await requireOrganization(tx, org);
      return listEndpoints(tx, testTenant(id));
    },
    show: (rows) => showList(rows.map(show)),
  }),
  databaseCommand({
    path: ['webhook', 'show'],
    operand: 'ID',
    says: 'Shows an endpoint: whether it is active, and since when it only fails.',
    input: Type.Object({ ID: EndpointId }),
    example: `foreword webhook show ${SOME_ID}`,
    run: (tx, { ID: id }) => requireEndpoint(tx, id),
    show: (row) => showObject(show(row)),
  }),
  keyedCommand({
    path: ['webhook', 'set'],
    operand: 'ID',
    says: 'Changes an endpoint: where it is, which events it gets, whether it is sent anything.',
    input: Type.Object({
      ID: EndpointId,
      url: Type.Optional(WebhookUrl),
      events: Type.Optional(
        Type.Array(WebhookChoice, { description: 'Which events it gets from now on, instead of those before.' }),
      ),
      active: Type.Optional(choice(['true', 'false'], 'False: what waits to be sent is given up.')),
    }),
    example: `foreword webhook set ${SOME_ID} --active true`,
    check({ url, events, active }) {
      if (url !== undefined) checkUrl('set', url);
      if (url === undefined && events === undefined && active === undefined) {
        throw new UsageError('Nothing to change: give at least one of --url, --events, --active.');
      }
    },
    run: (session, { ID: id, url, events, active }) =>
      asApi(session, id, (service, tenant, key) =>
        service.update(tenant, key, id, {
          ...(url !== undefined && { url }),
          ...(events !== undefined && { events }),
          ...(active !== undefined && { active: active === 'true' }),
        }),
      ),
    show: (endpoint) => showObject(endpoint),
  }),
  keyedCommand({
    path: ['webhook', 'rotate'],
    operand: 'ID',
    says: 'Gives an endpoint a new secret, and shows it this once. For 24 hours the old one signs beside it.',
    input: Type.Object({ ID: EndpointId }),
    example: `foreword webhook rotate ${SOME_ID}`,
    run: (session, { ID: id }) =>
      asApi(session, id, (service, tenant, key) => service.rotate(tenant, key, id, undefined)),
    show: (endpoint) =>
      showObject(endpoint, 'The secret is shown only this once. Give it to the receiver within 24 hours.'),
  }),
  keyedCommand({
    path: ['webhook', 'replay'],
    operand: 'ID',
    says: 'Sends again what an endpoint got or missed: one message, or all that were given up since a time.',
    input: Type.Object({
      ID: EndpointId,
      message: Type.Optional(Type.String({ description: 'One message, by its id, whatever became of it.' })),
      since: Type.Optional(
        Type.String({
          format: 'date-time',
          'x-problem': 'must be an ISO 8601 date-time with an offset or Z, such as 2026-03-10T09:15:00Z',
          description: 'All messages made since then that were given up, by an ISO 8601 date-time.',
        }),
      ),
    }),
    example: `foreword webhook replay ${SOME_ID} --since 2026-03-10T09:15:00Z`,
    check({ message, since }) {
      if ((message === undefined) === (since === undefined)) {
        throw new UsageError('Give either --message or --since.');
      }
    },
    run: (session, { ID: id, message, since }) =>
      asApi(session, id, (service, tenant, key) =>
        service.replay(tenant, key, id, {
          ...(message !== undefined && { message }),
          ...(since !== undefined && { since }),
        }),
      ),
    show: (replay) => showObject(replay),
  }),
  databaseCommand({
    path: ['webhook', 'test'],
    operand: 'ID',
    says: 'Sends a test event to an endpoint, while the service runs. What it answered stands in its attempts.',
    input: Type.Object({ ID: EndpointId }),
    example: `foreword webhook test ${SOME_ID}`,
    async run(tx, { ID: id }): Promise<Shown> {
      const row = await requireEndpoint(tx, id);
      if (!row.active) throw new Failure('This endpoint is turned off. Turn it on again first.');
      return presentMessage(await sendTest(tx, row, systemClock()));
    },
    show: (message) => showObject(message),
  }),
  databaseCommand({
    path: ['webhook', 'delete'],
    operand: 'ID',
    says: 'Deletes an endpoint: nothing more is sent to it. This cannot be undone.',
    input: Type.Object({ ID: EndpointId }),
    example: `foreword webhook delete ${SOME_ID}`,
    async run(tx, { ID: id }): Promise<Shown> {
      const row = await requireEndpoint(tx, id);
      await deleteEndpoint(tx, testTenant(row.organization_id), id);
      return { id, object: 'webhook_endpoint', deleted: true };
    },
    show: (deleted) => showObject(deleted),
  }),
];
