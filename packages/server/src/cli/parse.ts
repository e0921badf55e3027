import { type ParseArgsConfig, parseArgs } from 'node:util';
import { type Command, nameOf, operandsOf } from './command.ts';
import { UsageError } from './failure.ts';

const FLAGS = ['json', 'help', 'version'] as const;
type Flag = (typeof FLAGS)[number];

export interface Invocation {
  /** The positional arguments, including the command, in order. */
  readonly words: readonly string[];
  readonly flags: ReadonlySet<Flag>;
  /** All values of each option. */
  readonly values: ReadonlyMap<string, readonly string[]>;
}

const asFlag = (name: string): Flag | undefined => FLAGS.find((flag) => flag === name);

/** Options may appear anywhere, even before the command, so this accepts the options of all given commands. */
export function readArguments(args: string[], commands: readonly Command[]): Invocation {
  const valued = new Set(
    commands.flatMap((command) =>
      Object.keys(command.input.properties).filter((name) => !operandsOf(command).includes(name)),
    ),
  );
  const options: NonNullable<ParseArgsConfig['options']> = { json: { type: 'boolean' }, version: { type: 'boolean' } };
  options.help = { type: 'boolean', short: 'h' };
  for (const name of valued) options[name] = { type: 'string' };
  // Not strict: the built-in errors span several lines.
  const { tokens } = parseArgs({ args, options, allowPositionals: true, strict: false, tokens: true });
  const words: string[] = [];
  const flags = new Set<Flag>();
  const values = new Map<string, string[]>();
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value);
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue } = token;
    const flag = asFlag(name);
    if (flag !== undefined) {
      if (value !== undefined) throw new UsageError(`${rawName} takes no value.`);
      flags.add(flag);
    } else if (!valued.has(name)) {
      throw new UsageError(`There is no option ${rawName}. See foreword --help.`);
    } else if (value === undefined || (!inlineValue && value.startsWith('-'))) {
      throw new UsageError(`${rawName} needs a value. Write a value that starts with a dash as ${rawName}=VALUE.`);
    } else {
      values.set(name, [...(values.get(name) ?? []), value]);
    }
  }
  return { words, flags, values };
}

export const findCommand = (commands: readonly Command[], words: readonly string[]): Command | undefined =>
  commands.find(({ path }) => path.every((part, position) => words[position] === part));

/** The error for words that are not a command. */
export function explainUnknown(commands: readonly Command[], words: readonly string[]): UsageError {
  const group = commands.filter(({ path }) => path.length > 1 && path[0] === words[0]);
  if (group.length === 0) return new UsageError(`There is no command "${words[0]}". See foreword --help.`);
  const verbs = group.map(({ path }) => path[1]).join(', ');
  const problem =
    words.length === 1
      ? `foreword ${words[0]} needs a subcommand`
      : `There is no command "foreword ${words[0]} ${words[1]}"`;
  return new UsageError(`${problem}. Use one of ${verbs}. See foreword ${words[0]} --help.`);
}

/** The options and operands of a command, by name. */
export function readValues(command: Command, invocation: Invocation): Record<string, unknown> {
  const { operand, path, input } = command;
  const given: Record<string, unknown> = {};
  for (const [name, values] of invocation.values) {
    const schema = input.properties[name] as { type?: string } | undefined;
    if (schema === undefined) throw new UsageError(`${nameOf(command)} has no option --${name}.`);
    if (schema.type !== 'array' && values.length > 1) throw new UsageError(`--${name} was given more than once.`);
    given[name] = schema.type === 'array' ? [...new Set(values)] : values[0];
  }
  const operands = operandsOf(command);
  const words = invocation.words.slice(path.length);
  const tooMany = words[operands.length];
  if (tooMany !== undefined) throw new UsageError(`${nameOf(command)} does not take the argument "${tooMany}".`);
  if (operand !== undefined && words.length === 0) {
    throw new UsageError(`${operand} is missing. See ${nameOf(command)} --help.`);
  }
  for (const [position, word] of words.entries()) given[operands[position] ?? ''] = word;
  return given;
}
