import { OPERATIONS, type Operation, type OperationId } from '@foreword/contract';
import { type TObject, type TProperties, type TSchema, Type } from 'typebox';
import { readConfig } from '../config.ts';
import type { Tables, Tenant } from '../db/tenancy.ts';
import { createConsents, createErasedOptOuts, createEventPublisher, deliveryOperations } from '../delivery/index.ts';
import { erasureOperations } from '../erasure/index.ts';
import { eventOperations } from '../events/index.ts';
import { type Caller, useOperations } from '../http/index.ts';
import { createIntroEvents, introOperations } from '../intros/index.ts';
import { linkDomainOperations } from '../link-domains/index.ts';
import { createLinks } from '../links/index.ts';
import { testTenant } from '../organizations/index.ts';
import type { Database } from '../platform/db.ts';
import { ApiError } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import { LongPoll } from '../platform/long-poll.ts';
import { sealWith } from '../platform/seal.ts';
import { compileCheck } from '../platform/validate.ts';
import { createTestClocks } from '../test-clock/index.ts';
import { createContentSeal, createPublish, SEAL_PURPOSE, webhookOperations } from '../webhooks/index.ts';
import { readLinkConfig } from './address.ts';
import { type Command, checkValues, Organization } from './command.ts';
import { commandClock, withDatabase } from './connection.ts';
import { Failure, orFailure, UsageError } from './failure.ts';
import { requireOrganization } from './organizations.ts';
import { showAll, showColumns } from './print.ts';
import { openKey } from './server-key.ts';
import { findTenantOf, nounOf, type ObjectKind } from './store.ts';

/** The operations of the API, without the queues and caches of the service. */
export async function openOperations(db: Database<Tables>) {
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
  /** The object that the operation is about, whose id is the argument. */
  readonly of?: ObjectKind;
  /** A field that is the argument. */
  readonly operand?: string;
  /** The columns of a list. JSON has all fields. */
  readonly columns?: readonly string[];
  /** Operations about the same object, whose lists are shown below it. */
  readonly with?: Readonly<Record<string, UsedId>>;
  readonly note?: string;
}

/** A command does not wait. */
const HIDDEN = new Set(['wait', 'version']);

const flagOf = (field: string): string => field.replaceAll('_', '-');
const typeOf = (schema: TSchema | undefined): string | undefined => (schema as { type?: string } | undefined)?.type;

/** Fields that an option can give: no objects. */
const fieldsOf = ({ query, body }: Operation): TProperties =>
  Object.fromEntries(
    Object.entries({ ...query.properties, ...body?.schema.properties }).filter(
      ([name, schema]) => !HIDDEN.has(name) && typeOf(schema) !== 'object',
    ),
  );

/** The value of an option has the type of its field; any other form stays text, which the check rejects. */
function convert(schema: TSchema | undefined, value: unknown): unknown {
  if (typeOf(schema) === 'integer' && /^\d{1,9}$/.test(String(value))) return Number(value);
  if (typeOf(schema) === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}

/** Checks the options together, because some depend on each other. */
function checkBody({ schema, kind }: NonNullable<Operation['body']>, body: object, name: string): void {
  if (kind === 'required' && Object.keys(body).length === 0) {
    const options = Object.keys(schema.properties).map((field) => `--${flagOf(field)}`);
    throw new UsageError(`Give at least one of ${options.join(', ')}. See foreword ${name} --help.`);
  }
  try {
    compileCheck(schema, 'The command')(body);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new UsageError(`${error.message} See foreword ${name} --help.`);
  }
}

const SAMPLE = '01kahzv8e1f0rtx5m2q6n9d3bw';

/** A command that uses an operation of the API. Its options and what it prints follow from the contract. */
export function deriveCommand(name: string, id: UsedId, derived: Derived): Command {
  const { summary, example, of, operand, columns, with: more = {}, note } = derived;
  const operation: Operation = OPERATIONS[id as OperationId];
  const fields = fieldsOf(operation);
  const group = name.split(' ')[0] ?? '';
  const argument = of === undefined ? operand?.toUpperCase() : 'ID';
  const optionOf = (field: string) => (field === operand ? (argument ?? '') : flagOf(field));
  const required = new Set([...(operation.query.required ?? []), ...(operation.body?.schema.required ?? [])]);
  const input: TObject = Type.Object({
    ...(of === undefined
      ? { org: Organization }
      : { ID: Type.String({ description: `ID of the ${nounOf(of)} (see foreword ${group} list).` }) }),
    ...Object.fromEntries(
      Object.entries(fields).map(([field, schema]) => [
        optionOf(field),
        required.has(field) ? schema : Type.Optional(schema),
      ]),
    ),
  });

  /** Reads the query or the body from the options. */
  const read = (schema: TObject | undefined, values: Readonly<Record<string, unknown>>): Record<string, unknown> =>
    Object.fromEntries(
      Object.keys(schema?.properties ?? {}).flatMap((field) => {
        const value = values[optionOf(field)];
        return value === undefined ? [] : [[field, value]];
      }),
    );

  async function tenantOf(db: Database<Tables>, { ID, org }: Readonly<Record<string, unknown>>): Promise<Tenant> {
    if (of === undefined) return testTenant((await requireOrganization(db.kysely, org as string | undefined)).id);
    const tenant = await findTenantOf(db.kysely, of, String(ID));
    if (tenant === null)
      throw new Failure(`There is no ${nounOf(of)} with the id "${ID}". See foreword ${group} list.`);
    return tenant;
  }

  const command: Command = {
    path: name.split(' '),
    summary,
    operand: argument,
    input,
    example: ['foreword', name, of && `${of}_${SAMPLE}`, example].filter((part) => part !== undefined).join(' '),
    async perform(given) {
      const values = Object.fromEntries(
        Object.entries(given).map(([option, value]) => [option, convert(input.properties[option], value)]),
      );
      checkValues(command, input, values);
      const body = read(operation.body?.schema, values);
      if (operation.body !== undefined) checkBody(operation.body, body, name);
      // With the key, a change that was committed before the connection was lost is not repeated.
      const request = {
        key: newId('cmd', commandClock()),
        params: { id: String(values.ID) },
        query: read(operation.query, values),
        body,
      };
      const result = await withDatabase(readConfig(), async (db) => {
        const caller: Caller = { ...(await tenantOf(db, values)), by: null };
        const { use } = await openOperations(db);
        const object = await orFailure(use(id, caller, request as object));
        const added = Object.entries(more).map(async ([field, other]) => {
          const { data } = (await use(other, caller, request as object)) as { readonly data: readonly object[] };
          return [field, data];
        });
        return { ...object, ...Object.fromEntries(await Promise.all(added)) };
      });
      return { ...(columns === undefined ? showAll(result, note) : showColumns(result, columns)), exitCode: 0 };
    },
  };
  return command;
}
