import { type ParseArgsConfig, parseArgs } from 'node:util';
import { type Command, fieldOf, labelOf, nameOf, optionsOf } from './command.ts';
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

/** The option of a field, as `parseArgs` names it. */
const flagOf = (command: Command, field: string): string => labelOf(command, field).slice(2);

const asFlag = (name: string): Flag | undefined => FLAGS.find((flag) => flag === name);

/** Options may appear anywhere, even before the command, so this accepts the options of all given commands. */
export function readArguments(args: string[], commands: readonly Command[]): Invocation {
  const valued = new Set(commands.flatMap((command) => optionsOf(command).map((field) => flagOf(command, field))));
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

/** The options and operands of a command, by field. */
export function readValues(command: Command, invocation: Invocation): Record<string, unknown> {
  const { operands, path, input } = command;
  const fields = new Map(optionsOf(command).map((field) => [flagOf(command, field), field]));
  const given: Record<string, unknown> = {};
  for (const [name, values] of invocation.values) {
    const field = fields.get(name);
    if (field === undefined) throw new UsageError(`${nameOf(command)} has no option --${name}.`);
    const isList = (input.properties[field] as { type?: string }).type === 'array';
    if (!isList && values.length > 1) throw new UsageError(`--${name} was given more than once.`);
    given[field] = isList ? [...new Set(values)] : values[0];
  }
  const words = invocation.words.slice(path.length);
  const tooMany = words[operands.length];
  if (tooMany !== undefined) throw new UsageError(`${nameOf(command)} does not take the argument "${tooMany}".`);
  const missing = operands[words.length];
  if (missing !== undefined && input.required?.includes(fieldOf(missing))) {
    throw new UsageError(`${missing} is missing. See ${nameOf(command)} --help.`);
  }
  for (const [position, word] of words.entries()) given[fieldOf(operands[position] ?? '')] = word;
  return given;
}
