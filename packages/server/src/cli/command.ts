import {
  type Static,
  type TObject,
  type TProperties,
  type TSchema,
  type TStringOptions,
  Type,
} from '@foreword/contract';
import { ApiError } from '../platform/errors.ts';
import { compileCheck } from '../platform/validate.ts';
import type { Outcome } from './print.ts';
import { Failure, UsageError } from './terminal.ts';

export interface Command {
  readonly path: readonly string[];
  readonly summary: string;
  /** The names of the positional arguments, in order. In lower case, they are fields of `input`. */
  readonly operands: readonly string[];
  /** Options whose name does not follow from their field. */
  readonly flags: Readonly<Record<string, string>>;
  /** Operands and options by field. The schema also provides the help texts. */
  readonly input: TObject;
  readonly example: string;
  /** Takes the texts of the command line, by field. */
  perform(given: Readonly<Record<string, unknown>>): Promise<Outcome>;
}

export const nameOf = ({ path }: Pick<Command, 'path'>): string => `foreword ${path.join(' ')}`;

export const fieldOf = (operand: string): string => operand.toLowerCase();

/** As people write a field: `--first-name`, or `ID` for an operand. */
export function labelOf({ operands, flags }: Pick<Command, 'operands' | 'flags'>, field: string): string {
  const operand = operands.find((name) => fieldOf(name) === field);
  return operand ?? `--${flags[field] ?? field.replaceAll('_', '-')}`;
}

export const optionsOf = (command: Command): string[] =>
  Object.keys(command.input.properties).filter((field) => labelOf(command, field).startsWith('--'));

export const choice = <const T extends readonly string[]>(values: T, description: string) =>
  Type.Enum<[...T]>([...values], { type: 'string', 'x-problem': `must be one of ${values.join(', ')}`, description });

export const TrueOrFalse = (description: string) => Type.Optional(Type.Boolean({ description }));

/** An optional text. */
export const Option = (description: string, rules: TStringOptions = {}) =>
  Type.Optional(Type.String({ ...rules, description }));

export const Organization = Option('ID of the organization (see foreword org list). Default: the only one.');

/** An option whose value an empty text removes. */
export const Removable = <T extends TSchema>(schema: T, description: string) =>
  Type.Optional(Type.Union([schema, Type.Null()], { description: `${description} "" removes it.` }));

export const Text = (max: number, description: string) =>
  Removable(
    Type.String({
      pattern: `^[^\\p{Cc}\\p{Cs}]{1,${max}}$`,
      'x-problem': `must be text of at most ${max} characters, without control characters`,
    }),
    description,
  );

const typeOf = (schema: TSchema | undefined): string | undefined => (schema as { type?: string } | undefined)?.type;

/** The schema of a value, and whether an empty text stands for null. */
export function unionOf(schema: TSchema): { value: TSchema; isNullable: boolean } {
  const [value, other] = (schema as { anyOf?: readonly TSchema[] }).anyOf ?? [];
  return value !== undefined && typeOf(other) === 'null'
    ? { value, isNullable: true }
    : { value: schema, isNullable: false };
}

/** The value of an option has the type of its field. Any other form stays text, which the check rejects. */
function convert(schema: TSchema | undefined, given: unknown): unknown {
  if (schema === undefined) return given;
  const { value, isNullable } = unionOf(schema);
  if (isNullable && given === '') return null;
  if (typeOf(value) === 'integer' && /^\d{1,9}$/.test(String(given))) return Number(given);
  if (typeOf(value) === 'boolean' && (given === 'true' || given === 'false')) return given === 'true';
  return given;
}

/** Throws a UsageError that names the option. */
function checkValues(command: Command, values: object): void {
  try {
    compileCheck(command.input, 'The command')(values);
  } catch (error) {
    if (!(error instanceof ApiError) || error.field === undefined) throw error;
    const problem = error.message.slice(error.field.length);
    const [field = ''] = error.field.split('.');
    throw new UsageError(`${labelOf(command, field)}${problem} See ${nameOf(command)} --help.`);
  }
}

/** A use case names the field; the command says which option is wrong. */
function explain(command: Command, error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  const { code, field = '', message } = error;
  if (code !== 'validation_failed' || !(field in command.input.properties)) return new Failure(message);
  return new UsageError(message.replace(field, labelOf(command, field)));
}

export interface Definition<Input extends TProperties> {
  /** The words after `foreword`. */
  readonly name: string;
  readonly summary: string;
  readonly operands?: readonly string[];
  readonly flags?: Readonly<Record<string, string>>;
  readonly input: Input;
  /** The rest of the example in the help, after the name. */
  readonly example?: string;
  /** Needs at least one option besides `--org`. */
  readonly needsOption?: boolean;
  /** Checks what the schema cannot express, before the database is opened. Throws a UsageError. */
  check?(values: Static<TObject<Input>>): void;
}

/** A command that opens what it needs itself. */
export function defineCommand<Input extends TProperties>(
  { name, summary, operands = [], flags = {}, input, example = '', needsOption = false, check }: Definition<Input>,
  perform: (values: Static<TObject<Input>>) => Promise<Outcome>,
): Command {
  const command: Command = {
    path: name.split(' '),
    summary,
    operands,
    flags,
    input: Type.Object(input),
    example: `foreword ${name} ${example}`.trimEnd(),
    async perform(given) {
      const values = Object.fromEntries(
        Object.entries(given).map(([field, value]) => [field, convert(input[field], value)]),
      );
      checkValues(command, values);
      const options = optionsOf(command).filter((field) => field !== 'org');
      if (needsOption && options.every((field) => !(field in values))) {
        const labels = options.map((field) => labelOf(command, field));
        throw new UsageError(`Give at least one of ${labels.join(', ')}. See ${nameOf(command)} --help.`);
      }
      // checkValues has validated the type.
      const valid = values as Static<TObject<Input>>;
      check?.(valid);
      try {
        return await perform(valid);
      } catch (error) {
        throw explain(command, error);
      }
    },
  };
  return command;
}

type Given<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> };

/** The fields that were given: the others stay as they are. */
export const pickGiven = <T extends object>(fields: T): Given<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>;
