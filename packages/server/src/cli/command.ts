import type { Transaction } from 'kysely';
import { type Static, type TObject, type TSchema, Type } from 'typebox';
import { type Config, readConfig } from '../config.ts';
import type { Tables } from '../db/tenancy.ts';
import type { Database } from '../platform/db.ts';
import { ApiError } from '../platform/errors.ts';
import { compileCheck } from '../platform/validate.ts';
import { inTransaction, withDatabase } from './connection.ts';
import { UsageError } from './failure.ts';

export type Field = string | number | boolean | null | readonly string[];
/** An object to print, as JSON or as text. */
export type Shown = Readonly<Record<string, Field>> & { readonly object: string };

export interface Outcome {
  /** The JSON document. Undefined: the command has written its output itself. */
  readonly json: unknown;
  /** The same as text, possibly laid out for the width of the terminal. */
  readonly text: string | ((columns: number) => string);
  readonly exitCode: number;
  /** Printed to stderr in addition to the result. */
  readonly complaint?: string;
}

export interface Command {
  readonly path: readonly string[];
  readonly summary: string;
  /** The name of the positional argument. */
  readonly operand: string | undefined;
  /** The name of a second, optional positional argument. */
  readonly optionalOperand?: string | undefined;
  /** Options and operands as one schema, which also provides the help texts. */
  readonly input: TObject;
  readonly example: string;
  /** Throws a UsageError for invalid values. */
  perform(values: Readonly<Record<string, unknown>>): Promise<Outcome>;
}

export const choice = <const T extends readonly string[]>(values: T, description: string) =>
  Type.Enum<[...T]>([...values], { type: 'string', 'x-problem': `must be one of ${values.join(', ')}`, description });

export const Organization = Type.Optional(
  Type.String({ description: 'ID of the organization (see foreword org list). Default: the only one.' }),
);

const DEFAULT_LIMIT = 20;

export const Limit = Type.Optional(
  Type.String({
    pattern: '^([1-9][0-9]?|100)$',
    'x-problem': 'must be a whole number from 1 to 100',
    description: `How many to show, 1 to 100. Default: ${DEFAULT_LIMIT}.`,
  }),
);

export const readLimit = (limit: string | undefined): number => Number(limit ?? DEFAULT_LIMIT);

/** The positional arguments, in order. */
export const operandsOf = ({ operand, optionalOperand }: Pick<Command, 'operand' | 'optionalOperand'>): string[] =>
  [operand, optionalOperand].filter((name) => name !== undefined);

export const nameOf = (command: Pick<Command, 'path'>): string => `foreword ${command.path.join(' ')}`;

/** Throws a UsageError that names the option. */
export function checkValues(command: Pick<Command, 'path' | 'operand'>, schema: TSchema, values: unknown): void {
  try {
    compileCheck(schema, 'The command')(values);
  } catch (error) {
    if (!(error instanceof ApiError) || error.field === undefined) throw error;
    const problem = error.message.slice(error.field.length);
    const [name = ''] = error.field.split('.');
    throw new UsageError(`${name === command.operand ? name : `--${name}`}${problem} See ${nameOf(command)} --help.`);
  }
}

interface Definition<Input extends TObject, Result, Context> {
  path: readonly string[];
  summary: string;
  operand?: string;
  optionalOperand?: string;
  input: Input;
  example: string;
  /** Checks what the schema cannot express, before the database is opened. Throws a UsageError. */
  check?(input: Static<Input>): void;
  run(context: Context, input: Static<Input>): Promise<Result>;
  show(result: Result): Pick<Outcome, 'json' | 'text' | 'complaint'>;
}

/** A command that runs in one transaction. */
export const databaseCommand = <Input extends TObject, Result>(
  definition: Definition<Input, Result, Transaction<Tables>>,
): Command => commandIn(inTransaction, definition);

/** A command with transactions of its own, which may be repeated even after a commit. */
export const longCommand = <Input extends TObject, Result>(
  definition: Definition<Input, Result, Database<Tables>>,
): Command => commandIn(withDatabase, definition);

function commandIn<Input extends TObject, Result, Context>(
  open: (config: Config, work: (context: Context) => Promise<Result>) => Promise<Result>,
  definition: Definition<Input, Result, Context>,
): Command {
  const { path, summary, operand, optionalOperand, input, example, check, run, show } = definition;
  return {
    path,
    summary,
    operand,
    optionalOperand,
    input,
    example,
    async perform(values) {
      checkValues({ path, operand }, input, values);
      // checkValues has validated the type.
      const valid = values as Static<Input>;
      check?.(valid);
      const result = await open(readConfig(), (context) => run(context, valid));
      return { ...show(result), exitCode: 0 };
    },
  };
}
