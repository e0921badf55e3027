import { type ParseArgsConfig, parseArgs } from 'node:util';
import { type Command, nameOf, operandsOf } from './command.ts';
import { UsageError } from './failure.ts';

const FLAGS = ['json', 'help', 'version'] as const;
type Flag = (typeof FLAGS)[number];

export interface Invocation {
  /** What stands without an option name before it, in order. */
  readonly words: readonly string[];
  readonly flags: ReadonlySet<Flag>;
  /** By option name, each time it was given. */
  readonly values: ReadonlyMap<string, readonly string[]>;
}

const asFlag = (name: string): Flag | undefined => FLAGS.find((flag) => flag === name);

/** Any option may stand anywhere, also before the command, so those of all commands that may be meant are known from the start. */
export function readArguments(args: string[], commands: readonly Command[]): Invocation {
  const valued = new Set(
    commands.flatMap((command) =>
      Object.keys(command.input.properties).filter((name) => !operandsOf(command).includes(name)),
    ),
  );
  const options: NonNullable<ParseArgsConfig['options']> = { json: { type: 'boolean' }, version: { type: 'boolean' } };
  options.help = { type: 'boolean', short: 'h' };
  for (const name of valued) options[name] = { type: 'string' };
  // Not strict: its own complaints run over several lines.
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
      throw new UsageError(`${rawName} needs a value; one that begins with a dash is written ${rawName}=VALUE.`);
    } else {
      values.set(name, [...(values.get(name) ?? []), value]);
    }
  }
  return { words, flags, values };
}

export const findCommand = (commands: readonly Command[], words: readonly string[]): Command | undefined =>
  commands.find(({ path }) => path.every((part, position) => words[position] === part));

/** Why these words are no command. */
export function explainUnknown(commands: readonly Command[], words: readonly string[]): UsageError {
  const group = commands.filter(({ path }) => path.length > 1 && path[0] === words[0]);
  if (group.length === 0) return new UsageError(`There is no command "${words[0]}". See foreword --help.`);
  const verbs = group.map(({ path }) => path[1]).join(', ');
  const problem =
    words.length === 1 ? `foreword ${words[0]} needs a verb` : `There is no "foreword ${words[0]} ${words[1]}"`;
  return new UsageError(`${problem}: one of ${verbs}. See foreword ${words[0]} --help.`);
}

/** The values for a command: its options, and its operand under its own name. */
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
  if (tooMany !== undefined) throw new UsageError(`"${tooMany}" is one word too many for ${nameOf(command)}.`);
  if (operand !== undefined && words.length === 0) {
    throw new UsageError(`${operand} is missing. See ${nameOf(command)} --help.`);
  }
  for (const [position, word] of words.entries()) given[operands[position] ?? ''] = word;
  return given;
}
