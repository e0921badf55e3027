import { type Static, type TObject, type TProperties, Type } from '@foreword/contract';
import { type Config, readConfig } from '../app/config/index.ts';
import type { Database, Db, Row, Tenant, Tx } from '../db/tenancy.ts';
import { findOrganization, listOrganizations, testTenant } from '../organizations/index.ts';
import { newId } from '../platform/ids.ts';
import { type Command, type Definition, defineCommand, Organization } from './command.ts';
import { commandClock, inTransaction, withDatabase } from './connection.ts';
import { type Outcome, showObject } from './print.ts';
import { findOwner, OBJECTS, type ObjectKind } from './store.ts';
import { Failure, UsageError } from './terminal.ts';

interface DatabaseDefinition<Context, Input extends TProperties, Result extends object> extends Definition<Input> {
  run(context: Context, values: Static<TObject<Input>>): Promise<Result>;
  /** Default: all fields of the result. */
  show?(result: Result): Outcome;
}

type Open<Context> = <Result>(config: Config, work: (context: Context) => Promise<Result>) => Promise<Result>;

const commandIn =
  <Context>(open: Open<Context>) =>
  <Input extends TProperties, Result extends object>(
    definition: DatabaseDefinition<Context, Input, Result>,
  ): Command => {
    const { run, show = showObject } = definition;
    return defineCommand(definition, async (values) =>
      show(await open(readConfig(), (context) => run(context, values))),
    );
  };

interface InDatabase {
  readonly db: Database;
  /** The same if the work is repeated after the connection was lost. */
  readonly key: string;
}

const useTransaction: Open<{ readonly tx: Tx }> = (config, work) => inTransaction(config, (tx) => work({ tx }));

const useDatabase: Open<InDatabase> = (config, work) => {
  const key = newId('cmd', commandClock());
  return withDatabase(config, (db) => work({ db, key }));
};

/** A command that runs in one transaction. */
export const command = commandIn(useTransaction);

/** A command with transactions of its own, which may be repeated even after a commit. */
export const longCommand = commandIn(useDatabase);

/** More organizations than this are not listed in an error. */
const MAX_LISTED = 20;

/** A list for one line, such as "org_1 (Acme), org_2 (Homes)". */
export function enumerate(items: readonly string[]): string {
  const more = items.length - MAX_LISTED;
  return items.slice(0, MAX_LISTED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** The organization with this id, or the only one. */
async function requireOrganization(db: Db, id: string | undefined): Promise<Row<'organizations'>> {
  if (id !== undefined) {
    const row = await findOrganization(db, id);
    if (row === null) throw new Failure(`There is no organization with the id "${id}". See foreword org list.`);
    return row;
  }
  const all = await listOrganizations(db);
  const [only, ...others] = all;
  if (only === undefined) throw new Failure('There is no organization yet. Create one with foreword org create.');
  if (others.length === 0) return only;
  const listed = enumerate(all.map((row) => `${row.id} (${row.name})`));
  throw new UsageError(`There are several organizations. Choose one with --org ID: ${listed}.`);
}

/** The organization or object that a command is about. */
export interface Place {
  readonly organization: Row<'organizations'>;
  readonly tenant: Tenant;
  /** The id of the object. Empty: the command is about the organization. */
  readonly id: string;
  readonly now: Date;
}

const SAMPLE = '01kahzv8e1f0rtx5m2q6n9d3bw';

const organizationCommandIn =
  <Context>(open: Open<Context>, queryable: (context: Context) => Db) =>
  <Input extends TProperties, Result extends object>({
    of,
    operands = [],
    example,
    run,
    ...definition
  }: DatabaseDefinition<Context & Place, Input, Result> & {
    /** The object that the command is about, whose id is its argument. Default: an organization, with the option `--org`. */
    readonly of?: ObjectKind | undefined;
  }): Command => {
    const [group = ''] = definition.name.split(' ');
    const { noun } = OBJECTS[of ?? 'org'];

    async function find(db: Db, { org, id = '' }: { readonly org?: string; readonly id?: string }) {
      if (of === undefined) return { organization: await requireOrganization(db, org), id: '' };
      const organization = await findOwner(db, of, id);
      if (organization === null)
        throw new Failure(`There is no ${noun} with the id "${id}". See foreword ${group} list.`);
      return { organization, id };
    }

    return commandIn(open)({
      ...definition,
      operands: of === undefined ? operands : ['ID', ...operands],
      input: {
        ...(of === undefined
          ? { org: Organization }
          : { id: Type.String({ description: `ID of the ${noun} (see foreword ${group} list).` }) }),
        ...definition.input,
      } as Input,
      example: [of && `${of}_${SAMPLE}`, example].filter((part) => part !== undefined).join(' '),
      async run(context, values) {
        const found = await find(queryable(context), values);
        const place: Place = { ...found, tenant: testTenant(found.organization.id), now: commandClock() };
        const own = Object.entries(values).filter(([field]) => field in definition.input);
        return run({ ...context, ...place }, Object.fromEntries(own) as typeof values);
      },
    });
  };

/** A command about an organization, or an object of one, that runs in one transaction. */
export const organizationCommand = organizationCommandIn(useTransaction, ({ tx }) => tx);

/** A command about an organization, or an object of one, with transactions of its own. */
export const longOrganizationCommand = organizationCommandIn(useDatabase, ({ db }) => db.kysely);
