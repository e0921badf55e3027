import { WebhookChoice, WebhookUrl } from '@foreword/contract';
import type { Transaction } from 'kysely';
import { Type } from 'typebox';
import { type Config, readConfig } from '../config.ts';
import { requireSameKey } from '../links/index.ts';
import { testTenant } from '../organizations/index.ts';
import { systemClock } from '../platform/clock.ts';
import { ApiError } from '../platform/errors.ts';
import { explainUrl } from '../platform/outbound.ts';
import { createSeal, type Seal } from '../platform/seal.ts';
import { openServerKey } from '../platform/server-key.ts';
import type { Tables, WebhookEndpointRow } from '../tables.ts';
import {
  addEndpoint,
  deleteEndpoint,
  findEndpointOfAny,
  listEndpoints,
  presentEndpoint,
  presentMessage,
  presentWithSecret,
  SEAL_PURPOSE,
  sendTest,
} from '../webhooks/index.ts';
import { databaseCommand, Organization, type Shown } from './command.ts';
import { Failure, UsageError } from './failure.ts';
import { requireOrganization } from './organizations.ts';
import { showList, showObject } from './print.ts';

const EndpointId = Type.String({ description: 'Id of the endpoint, as foreword webhook list shows it.' });
const SOME_ID = 'whk_01kahzv8e1f0rtx5m2q6n9d3bw';

async function requireEndpoint(tx: Transaction<Tables>, id: string): Promise<WebhookEndpointRow> {
  const row = await findEndpointOfAny(tx, id);
  if (row === null) throw new Failure(`There is no webhook endpoint with the id "${id}". See foreword webhook list.`);
  return row;
}

/** The same as the service's, or a complaint that it could not read what is sealed here. */
async function openSeal(tx: Transaction<Tables>, config: Config): Promise<Seal> {
  const key = openServerKey({ dataDir: config.dataDir, given: config.serverKey });
  await requireSameKey(tx, key);
  return createSeal(key.derive(SEAL_PURPOSE));
}

async function orFailure<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof ApiError ? new Failure(error.message) : error;
  }
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
    check({ url }) {
      const problem = explainUrl(url, { allowPrivate: readConfig().webhooksAllowPrivate });
      if (problem !== null) throw new UsageError(`--url ${problem}. See foreword webhook create --help.`);
    },
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
