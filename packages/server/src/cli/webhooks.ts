import { WEBHOOK_EVENTS, WEBHOOK_TEST, WebhookChoice, type WebhookEventType, WebhookUrl } from '@foreword/contract';
import { Type } from 'typebox';
import { type Config, readConfig } from '../config.ts';
import type { Row, Tables, Tenant } from '../db/tenancy.ts';
import { testTenant } from '../organizations/index.ts';
import type { Queryable } from '../platform/db.ts';
import type { Answer } from '../platform/operations.ts';
import { explainUrl } from '../platform/outbound.ts';
import { type Seal, sealWith } from '../platform/seal.ts';
import {
  addEndpoint,
  type ContentSeal,
  createContentSeal,
  createWebhookService,
  findEndpointAcrossTenants,
  listEndpoints,
  presentEndpoint,
  presentWithSecret,
  removeEndpoint,
  SEAL_PURPOSE,
  sendTest,
  type WebhookService,
} from '../webhooks/index.ts';
import { choice, databaseCommand, keyedCommand, Organization, type Shown } from './command.ts';
import type { KeyedContext } from './connection.ts';
import { commandClock } from './connection.ts';
import { Failure, orFailure, UsageError } from './failure.ts';
import { requireOrganization } from './organizations.ts';
import { showList, showObject } from './print.ts';
import { openKey } from './server-key.ts';

const EndpointId = Type.String({ description: 'ID of the endpoint (see foreword webhook list).' });
const Description = Type.Optional(
  Type.String({
    maxLength: 200,
    pattern: '^[^\\p{Cc}\\p{Cs}]*$',
    'x-problem': 'must be text of at most 200 characters without control characters',
    description: 'A note about the endpoint, such as the system behind it. "" removes it.',
  }),
);
const TEST_TYPES: (WebhookEventType | typeof WEBHOOK_TEST.type)[] = [
  WEBHOOK_TEST.type,
  ...(Object.keys(WEBHOOK_EVENTS) as WebhookEventType[]),
];
const SAMPLE_ID = 'whk_01kahzv8e1f0rtx5m2q6n9d3bw';

async function requireEndpoint(db: Queryable<Tables>, id: string): Promise<Row<'webhook_endpoints'>> {
  const row = await findEndpointAcrossTenants(db, id);
  if (row === null) throw new Failure(`There is no webhook endpoint with the id "${id}". See foreword webhook list.`);
  return row;
}

/** Seals for the service. */
async function openSeals(db: Queryable<Tables>, config: Config): Promise<{ seal: Seal; contents: ContentSeal }> {
  const key = await openKey(db, config);
  return { seal: sealWith(key, SEAL_PURPOSE), contents: createContentSeal(key) };
}

/** Calls a use case of the API for an endpoint of any organization. */
async function callApi(
  { db, key }: KeyedContext,
  id: string,
  call: (service: WebhookService, tenant: Tenant, key: string) => Promise<Answer>,
): Promise<Shown> {
  const config = readConfig();
  const { organization_id } = await requireEndpoint(db.kysely, id);
  const seals = await openSeals(db.kysely, config);
  const service = createWebhookService({
    db,
    clock: commandClock,
    ...seals,
    allowPrivate: config.webhooksAllowPrivate,
  });
  const { body } = await orFailure(call(service, testTenant(organization_id), key));
  return (typeof body === 'string' ? JSON.parse(body) : body) as Shown;
}

function checkUrl(command: string, url: string): void {
  const problem = explainUrl(url, { allowPrivate: readConfig().webhooksAllowPrivate });
  if (problem !== null) throw new UsageError(`--url ${problem}. See foreword webhook ${command} --help.`);
}

const show = (row: Row<'webhook_endpoints'>): Shown => presentEndpoint(row);

export const webhookCommands = [
  databaseCommand({
    path: ['webhook', 'create'],
    summary: 'Creates a webhook endpoint. Its signing secret is shown only once.',
    input: Type.Object({
      org: Organization,
      url: WebhookUrl,
      description: Description,
      events: Type.Optional(
        Type.Array(WebhookChoice, {
          description: 'An event type to send, such as intro.ready or intro.*. Default: all.',
        }),
      ),
    }),
    example: 'foreword webhook create --url https://crm.acme.example/foreword --events intro.ready --events intro.sent',
    check: ({ url }) => checkUrl('create', url),
    async run(tx, { org, url, description = null, events = ['*'] }) {
      const { id } = await requireOrganization(tx, org);
      const { seal } = await openSeals(tx, readConfig());
      const endpoint = { url, description, events, active: true };
      return orFailure(addEndpoint(tx, { clock: commandClock, seal }, testTenant(id), endpoint));
    },
    show: ({ row, secret }) =>
      showObject(
        presentWithSecret(row, secret),
        'The secret is shown only this once. The receiver uses it to verify that webhooks are genuine.',
      ),
  }),
  databaseCommand({
    path: ['webhook', 'list'],
    summary: 'Lists the webhook endpoints of an organization, newest first.',
    input: Type.Object({ org: Organization }),
    example: 'foreword webhook list',
    async run(tx, { org }) {
      const { id } = await requireOrganization(tx, org);
      return listEndpoints(tx, testTenant(id));
    },
    show: (rows) =>
      showList(rows.map(presentEndpoint), ({ id, url, description, events, active }) => ({
        id,
        url,
        description,
        events,
        active,
      })),
  }),
  databaseCommand({
    path: ['webhook', 'show'],
    operand: 'ID',
    summary: 'Shows a webhook endpoint, including whether it is active or failing.',
    input: Type.Object({ ID: EndpointId }),
    example: `foreword webhook show ${SAMPLE_ID}`,
    run: (tx, { ID: id }) => requireEndpoint(tx, id),
    show: (row) => showObject(show(row)),
  }),
  keyedCommand({
    path: ['webhook', 'set'],
    operand: 'ID',
    summary: 'Changes the URL, description, events or active state of a webhook endpoint.',
    input: Type.Object({
      ID: EndpointId,
      url: Type.Optional(WebhookUrl),
      description: Description,
      events: Type.Optional(
        Type.Array(WebhookChoice, { description: 'An event type to send. Replaces the current selection.' }),
      ),
      active: Type.Optional(choice(['true', 'false'], 'false cancels all pending webhooks.')),
    }),
    example: `foreword webhook set ${SAMPLE_ID} --active true`,
    check({ url, description, events, active }) {
      if (url !== undefined) checkUrl('set', url);
      if (url === undefined && description === undefined && events === undefined && active === undefined) {
        throw new UsageError('Nothing to change: give at least one of --url, --description, --events, --active.');
      }
    },
    run: (context, { ID: id, url, description, events, active }) =>
      callApi(context, id, (service, tenant, key) =>
        service.update(tenant, key, id, {
          ...(url !== undefined && { url }),
          ...(description !== undefined && { description }),
          ...(events !== undefined && { events }),
          ...(active !== undefined && { active: active === 'true' }),
        }),
      ),
    show: (endpoint) => showObject(endpoint),
  }),
  keyedCommand({
    path: ['webhook', 'rotate'],
    operand: 'ID',
    summary: 'Creates a new signing secret, shown only once. For 24 hours, webhooks are signed with both secrets.',
    input: Type.Object({ ID: EndpointId }),
    example: `foreword webhook rotate ${SAMPLE_ID}`,
    run: (context, { ID: id }) =>
      callApi(context, id, (service, tenant, key) => service.rotate(tenant, key, id, undefined)),
    show: (endpoint) =>
      showObject(endpoint, 'The secret is shown only this once. Configure it at the receiver within 24 hours.'),
  }),
  keyedCommand({
    path: ['webhook', 'replay'],
    operand: 'ID',
    summary: 'Sends webhooks again: one message, or all that failed since a time.',
    input: Type.Object({
      ID: EndpointId,
      message: Type.Optional(Type.String({ description: 'ID of one message, whatever its status.' })),
      since: Type.Optional(
        Type.String({
          format: 'date-time',
          'x-problem': 'must be an ISO 8601 date-time with an offset or Z, such as 2026-03-10T09:15:00Z',
          description: 'All failed messages created since this ISO 8601 date-time.',
        }),
      ),
    }),
    example: `foreword webhook replay ${SAMPLE_ID} --since 2026-03-10T09:15:00Z`,
    check({ message, since }) {
      if ((message === undefined) === (since === undefined)) {
        throw new UsageError('Give either --message or --since.');
      }
    },
    run: (context, { ID: id, message, since }) =>
      callApi(context, id, (service, tenant, key) =>
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
    summary: 'Sends a test event to an endpoint. Needs a running service. The result appears in its attempts.',
    input: Type.Object({
      ID: EndpointId,
      type: Type.Optional(
        choice(TEST_TYPES, 'The type of the message, with the data of its sample. Default: webhook.test.'),
      ),
    }),
    example: `foreword webhook test ${SAMPLE_ID} --type intro.ready`,
    async run(tx, { ID: id, type = WEBHOOK_TEST.type }): Promise<Shown> {
      const row = await requireEndpoint(tx, id);
      if (!row.active) throw new Failure('This endpoint is turned off. Turn it on first.');
      return sendTest(tx, (await openSeals(tx, readConfig())).contents, row, commandClock(), { type });
    },
    show: (message) => showObject(message),
  }),
  databaseCommand({
    path: ['webhook', 'delete'],
    operand: 'ID',
    summary: 'Deletes a webhook endpoint. This cannot be undone.',
    input: Type.Object({ ID: EndpointId }),
    example: `foreword webhook delete ${SAMPLE_ID}`,
    async run(tx, { ID: id }): Promise<Shown> {
      const row = await requireEndpoint(tx, id);
      await removeEndpoint(tx, testTenant(row.organization_id), id);
      return { id, object: 'webhook_endpoint', deleted: true };
    },
    show: (deleted) => showObject(deleted),
  }),
];
