import type { Transaction } from 'kysely';
import { type Static, type TObject, type TSchema, Type } from 'typebox';
import { type Config, readConfig } from '../config.ts';
import { ApiError } from '../platform/errors.ts';
import { compileCheck } from '../platform/validate.ts';
import type { Tables } from '../tables.ts';
import { UsageError } from './failure.ts';
import { inKeyedSession, inSession, type KeyedSession } from './session.ts';

export type Fact = string | number | boolean | null | readonly string[];
/** What is printed, as JSON or for a person. */
export type Shown = Readonly<Record<string, Fact>> & { readonly object: string };

export interface Outcome {
  /** The JSON document. */
  readonly json: unknown;
  /** The same for a person. */
  readonly text: string | ((columns: number) => string);
  readonly exitCode: number;
  /** For stderr, beside the answer. */
  readonly complaint?: string;
}

export interface Command {
  readonly path: readonly string[];
  readonly says: string;
  /** The one word that stands without an option name before it. */
  readonly operand: string | undefined;
  /** One more of its kind, which may be left out. */
  readonly optionalOperand?: string | undefined;
  /** Its properties are the options and the operand: what is required, what fits, and the help. */
  readonly input: TObject;
  readonly example: string;
  /** Throws a UsageError when the values do not fit. */
  perform(values: Readonly<Record<string, unknown>>): Promise<Outcome>;
}

/** One of these words. */
export const choice = <const T extends readonly string[]>(values: T, description: string) =>
  Type.Enum<[...T]>([...values], { type: 'string', 'x-problem': `must be one of ${values.join(', ')}`, description });

export const Organization = Type.String({ description: 'Id of the organization, as foreword org list shows it.' });

/** The words that stand without an option name before them, in order. */
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

interface Definition<Input extends TObject, Result, Session> {
  path: readonly string[];
  says: string;
  operand?: string;
  optionalOperand?: string;
  input: Input;
  example: string;
  /** What a schema cannot say of the values; throws a UsageError. Before anything is opened. */
  check?(input: Static<Input>): void;
  run(session: Session, input: Static<Input>): Promise<Result>;
  show(result: Result): Pick<Outcome, 'json' | 'text'>;
}

/** A command that does its work in one transaction: all of it, or nothing. */
export const databaseCommand = <Input extends TObject, Result>(
  definition: Definition<Input, Result, Transaction<Tables>>,
): Command => commandIn(inSession, definition);

/** A command that has a use case of the API do its work. */
export const keyedCommand = <Input extends TObject, Result>(
  definition: Definition<Input, Result, KeyedSession>,
): Command => commandIn(inKeyedSession, definition);

function commandIn<Input extends TObject, Result, Session>(
  open: (config: Config, work: (session: Session) => Promise<Result>) => Promise<Result>,
  definition: Definition<Input, Result, Session>,
): Command {
  const { path, says, operand, optionalOperand, input, example, check, run, show } = definition;
  return {
    path,
    says,
    operand,
    optionalOperand,
    input,
    example,
    async perform(values) {
      checkValues({ path, operand }, input, values);
      // The schema has just said that they are of this type.
      const fitting = values as Static<Input>;
      check?.(fitting);
      const result = await open(readConfig(), (session) => run(session, fitting));
      return { ...show(result), exitCode: 0 };
    },
  };
}
