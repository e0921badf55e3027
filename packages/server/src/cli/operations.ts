import fs from 'node:fs/promises';
import {
  decodeText,
  OPERATIONS,
  type Operation,
  type OperationId,
  type TObject,
  type TProperties,
  Type,
} from '@foreword/contract';
import { readConfig } from '../app/config/index.ts';
import type { Database } from '../db/tenancy.ts';
import {
  createConsents,
  createErasedOptOuts,
  createEventPublisher,
  deliveryOperations,
  importOptOuts,
} from '../delivery/index.ts';
import { type Caller, useOperations } from '../http/index.ts';
import { eventOperations } from '../intros/events/index.ts';
import { createIntroEvents, introOperations } from '../intros/index.ts';
import { createLinks } from '../intros/links/index.ts';
import { linkDomainOperations } from '../organizations/link-domains/index.ts';
import { countryOfTimezone } from '../platform/countries.ts';
import { ApiError } from '../platform/errors.ts';
import { LongPoll } from '../platform/long-poll.ts';
import { sealWith } from '../platform/seal.ts';
import { compileCheck } from '../platform/validate.ts';
import { erasureOperations } from '../privacy/erasure/index.ts';
import { createTestClocks } from '../testing/clock/index.ts';
import { createContentSeal, createPublish, SEAL_PURPOSE, webhookOperations } from '../webhooks/index.ts';
import type { Command } from './command.ts';
import { commandClock, openKey, readLinkConfig } from './connection.ts';
import { longOrganizationCommand } from './database-command.ts';
import { showAll, showList } from './print.ts';
import type { ObjectKind } from './store.ts';
import { Failure, orFailure, UsageError } from './terminal.ts';

/** The operations of the API, without the queues and caches of the service. */
async function openOperations(db: Database) {
  const { publicUrl, ...config } = await readLinkConfig();
  const serverKey = await openKey(db.kysely, readConfig());
  const links = createLinks(serverKey, publicUrl);
  const contents = createContentSeal(serverKey);
  const introEvents = createIntroEvents(links, createPublish(contents));
  const erasedOptOuts = createErasedOptOuts(serverKey);
  const consents = createConsents({ publish: createEventPublisher(introEvents), erasedOptOuts });
  const clock = commandClock;
  const testClocks = createTestClocks({ db, clock });
  const parts = { db, clock, testClocks, links, contents, introEvents, erasedOptOuts, consents, serverKey, publicUrl };
  const deps = {
    ...parts,
    longPoll: new LongPoll(),
    seal: sealWith(serverKey, SEAL_PURPOSE),
    allowPrivate: config.webhooksAllowPrivate,
  };
  const operations = {
    ...eventOperations(deps),
    ...introOperations(deps),
    ...deliveryOperations(deps),
    ...erasureOperations(deps),
    ...linkDomainOperations(deps),
    ...webhookOperations(deps),
  };
  return { ...parts, use: useOperations(db, operations) };
}

type UsedId = Parameters<Awaited<ReturnType<typeof openOperations>>['use']>[0];

interface Derived {
  readonly summary: string;
  /** Arguments and options for the example in the help. */
  readonly example?: string;
  /** Fields that are arguments. */
  readonly operands?: readonly string[];
  /** The columns of a list. JSON has all fields. */
  readonly columns?: readonly string[];
  /** Operations about the same object, whose lists are shown below it. */
  readonly with?: Readonly<Record<string, UsedId>>;
  readonly note?: string;
}

/** The kind of the object that the operation is about, from the example of its id. */
function kindOf({ params }: Operation): ObjectKind | undefined {
  const { examples: [id] = [] } = (params?.properties.id ?? {}) as { readonly examples?: readonly string[] };
  return id?.split('_')[0] as ObjectKind | undefined;
}

/** A command does not wait. */
const HIDDEN = new Set(['wait', 'version']);

/** Fields that an option can give: no objects. */
const fieldsOf = ({ query, body }: Operation): TProperties =>
  Object.fromEntries(
    Object.entries({ ...query.properties, ...body?.schema.properties }).filter(
      ([name, schema]) => !HIDDEN.has(name) && (schema as { type?: string }).type !== 'object',
    ),
  );

type Values = Readonly<Record<string, unknown>>;

const pick = (schema: TObject | undefined, values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([field]) => schema !== undefined && field in schema.properties));

/** Checks the options together, because some depend on each other. */
function checkBody(schema: TObject, values: Values, name: string): void {
  try {
    compileCheck(schema, 'The command')(pick(schema, values));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new UsageError(`${error.message} See foreword ${name} --help.`);
  }
}

/** A command that uses an operation of the API. Its options and what it prints follow from the contract. */
export function deriveCommand(name: string, operationId: UsedId, derived: Derived): Command {
  const { columns, with: more = {}, note, ...texts } = derived;
  const operation: Operation = OPERATIONS[operationId as OperationId];
  const { query, body } = operation;
  return longOrganizationCommand({
    ...texts,
    name,
    of: kindOf(operation),
    input: fieldsOf(operation),
    needsOption: body?.kind === 'required' && body.schema.required === undefined,
    check(values: Values) {
      if (body !== undefined) checkBody(body.schema, values, name);
    },
    async run({ db, key, tenant, id }, values: Values): Promise<object> {
      // With the key, a change that was committed before the connection was lost is not repeated.
      const request = { key, params: { id }, query: pick(query, values), body: pick(body?.schema, values) } as object;
      const caller: Caller = { ...tenant, by: null };
      const { use } = await openOperations(db);
      const object = await orFailure(use(operationId, caller, request));
      const added = Object.entries(more).map(async ([field, other]) => {
        const { data } = (await use(other, caller, request)) as { readonly data: readonly object[] };
        return [field, data];
      });
      return { ...object, ...Object.fromEntries(await Promise.all(added)) };
    },
    show: (result) => (columns === undefined ? showAll(result, note) : showList(result as { data: Values[] }, columns)),
  });
}

export const eventCommands = [
  deriveCommand('event list', 'listEvents', {
    summary: 'Lists the newest touchpoint events of an organization.',
    example: '--status failed',
    columns: ['id', 'status', 'touchpoint', 'error', 'created_at'],
  }),
  deriveCommand('event show', 'retrieveEvent', {
    summary: 'Shows an event: what it was matched to, its intro, or why it failed.',
  }),
  deriveCommand('event retry', 'retryEvent', {
    summary: 'Processes a failed event again, once you have fixed the cause. Needs a running service.',
    note: 'A running service processes it within seconds. See foreword event show.',
  }),
];

export const webhookCommands = [
  deriveCommand('webhook create', 'createWebhookEndpoint', {
    summary: 'Creates a webhook endpoint. Its signing secret is shown only once.',
    example: '--url https://crm.acme.example/foreword --events intro.ready --events intro.sent',
    note: 'The secret is shown only this once. The receiver uses it to verify that webhooks are genuine.',
  }),
  deriveCommand('webhook list', 'listWebhookEndpoints', {
    summary: 'Lists the webhook endpoints of an organization, newest first.',
    columns: ['id', 'url', 'description', 'events', 'active'],
  }),
  deriveCommand('webhook show', 'retrieveWebhookEndpoint', {
    summary: 'Shows a webhook endpoint, including whether it is active or failing.',
  }),
  deriveCommand('webhook set', 'updateWebhookEndpoint', {
    summary: 'Changes the URL, description, events or active state of a webhook endpoint.',
    example: '--active true',
  }),
  deriveCommand('webhook rotate', 'rotateWebhookSecret', {
    summary: 'Creates a new signing secret, shown only once. For 24 hours, webhooks are signed with both secrets.',
    note: 'The secret is shown only this once. Configure it at the receiver within 24 hours.',
  }),
  deriveCommand('webhook replay', 'replayWebhooks', {
    summary: 'Sends webhooks again: one message, or all that failed in a period.',
    example: '--since 2026-03-10T09:15:00Z',
  }),
  deriveCommand('webhook test', 'testWebhookEndpoint', {
    summary: 'Sends a test event to an endpoint. Needs a running service. The result appears in its attempts.',
    example: '--type intro.ready',
  }),
  deriveCommand('webhook attempts', 'listWebhookAttempts', {
    summary: 'Lists the newest attempts to send webhooks to an endpoint, and how its receiver answered.',
    columns: ['id', 'message', 'status', 'error', 'created_at'],
  }),
  deriveCommand('webhook delete', 'deleteWebhookEndpoint', {
    summary: 'Deletes a webhook endpoint. This cannot be undone.',
  }),
];

export const linkDomainCommands = [
  deriveCommand('link-domain add', 'createLinkDomain', {
    operands: ['HOST'],
    summary: "Adds a host for recipients' links, and shows what to publish. A running service checks it.",
    example: 'go.acme.example',
  }),
  deriveCommand('link-domain list', 'listLinkDomains', {
    summary: 'Lists the link domains of an organization, newest first.',
    columns: ['id', 'host', 'state', 'failure', 'checked_at'],
  }),
  deriveCommand('link-domain check', 'checkLinkDomain', {
    summary: 'Lets a running service check a link domain now. The result appears in the list.',
  }),
  deriveCommand('link-domain remove', 'deleteLinkDomain', {
    summary: 'Removes a link domain. Links that were sent work while the domain leads here.',
  }),
];

export const recipientCommands = [
  deriveCommand('recipient opt-out', 'optOutRecipient', {
    operands: ['PHONE'],
    summary: 'Stops texts to a recipient who asked for that.',
    example: '+14155550123 --reason "Dana, on the phone"',
  }),
  deriveCommand('recipient opt-in', 'optInRecipient', {
    operands: ['PHONE'],
    summary: 'Allows texts to a recipient again who asked for them. After an opt-out by text, only they can.',
    example: '+14155550123 --reason "Dana, on the phone"',
  }),
  longOrganizationCommand({
    name: 'recipient import-opt-outs',
    operands: ['FILE'],
    summary: 'Stops texts to every number of a CSV file, with a column "phone" and perhaps "reason".',
    input: { file: Type.String({ description: 'The CSV file.' }) },
    example: 'opt-outs.csv',
    async run({ db, organization, tenant }, { file }) {
      const bytes = await fs.readFile(file).catch((error: Error) => {
        throw new Failure(`Cannot read ${file}: ${error.message}.`);
      });
      const { consents, testClocks } = await openOperations(db);
      const input = { tenant, country: countryOfTimezone(organization.timezone), text: decodeText(bytes) };
      return db.kysely
        .transaction()
        .execute(async (tx) => importOptOuts({ consents }, tx, input, await testClocks.nowWithin(tx, tenant)));
    },
    show: ({ added, already, problems, ...rest }) => ({
      json: { object: 'opt_out_import', added, already, problems, ...rest },
      text: `${added} opted out, ${already} had already opted out.`,
      ...(problems.length > 0 && {
        complaint: `No phone number in ${problems.map(({ line }) => `line ${line}`).join(', ')}.`,
      }),
    }),
  }),
  deriveCommand('recipient erase', 'eraseRecipient', {
    summary:
      'Removes everything that identifies a recipient. A running service finishes it within a minute. This cannot be undone.',
    example: '--phone +14155550123',
  }),
  deriveCommand('recipient erasure', 'retrieveErasure', {
    summary: 'Shows the receipt of an erasure: what was removed, and whether it is complete.',
  }),
];
