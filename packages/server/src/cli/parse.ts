import { type ParseArgsConfig, parseArgs } from 'node:util';
import { type Command, fieldOf, labelOf, nameOf, optionsOf, unionOf } from './command.ts';
import { DEFAULT_COLUMNS, twoColumns, wrap } from './print.ts';
import { UsageError } from './terminal.ts';

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

const INTRODUCTION = `foreword starts the service, and manages organizations, members, API keys, touchpoints, events,
intros and webhooks.

The commands use the same database as the service: DATABASE_URL, or the embedded database in
DATA_DIR (./data). They work whether or not the service is running.

Usage: npx foreword COMMAND [options]
`;

const FIRST_STEPS = `
From an empty database to a first API key and a sign-in to the console:
  npx foreword org create --name "Acme Roofing" --industry exterior_remodeling
  npx foreword member create --first-name Ana --last-name Ng --email ana@acme.example --role owner
  npx foreword key create
  npx foreword signin
`;

const EVERYWHERE = `
Options of every command:
  --json     print exactly one JSON document to stdout
  --help     show help for the command (also: foreword help COMMAND)
  --version  show the version of Foreword

Exit codes: 0 success; 1 failure (the reason is on stderr); 2 invalid command line;
78 invalid configuration.
`;

/** A longer list of values moves from the option to its description. */
const MAX_PLACEHOLDER = 30;
/** Longer names of options get their own line. */
const MAX_LEFT = 36;

interface OptionSchema {
  type?: string;
  enum?: string[];
  description?: string;
  items?: OptionSchema;
}

const table = (rows: readonly (readonly [string, string])[]): string =>
  `${twoColumns(rows, { indent: 2, left: MAX_LEFT, columns: DEFAULT_COLUMNS })}\n`;

/** Breaks a long command before an option. */
function writeExample(example: string): string {
  const [start = '', ...options] = `npx ${example}`.split(/ (?=--)/);
  const lines = [`  ${start}`];
  for (const option of options) {
    const line = lines.at(-1) ?? '';
    if (line.length + option.length + 3 > DEFAULT_COLUMNS) lines.push(`    ${option}`);
    else lines[lines.length - 1] = `${line} ${option}`;
  }
  return lines.join(' \\\n');
}

const choicesOf = ({ type, items, enum: values }: OptionSchema): readonly string[] =>
  items?.enum ?? values ?? (type === 'boolean' ? ['true', 'false'] : []);

function placeholderOf(label: string, choices: readonly string[]): string {
  const all = choices.join('|');
  if (all !== '' && all.length <= MAX_PLACEHOLDER) return all;
  return label === '--org' ? 'ID' : (label.split('-').at(-1)?.toUpperCase() ?? 'VALUE');
}

function optionRow(command: Command, field: string): [string, string] {
  const label = labelOf(command, field);
  const given: OptionSchema = command.input.properties[field] ?? {};
  const schema: OptionSchema = unionOf(given).value;
  // In JSON, null removes a value; on a command line, an empty text does.
  const description = (given.description ?? schema.description ?? schema.items?.description ?? '').replace(
    '`null`',
    '""',
  );
  if (!label.startsWith('--')) return [label, description];
  const choices = choicesOf(schema);
  const placeholder = placeholderOf(label, choices);
  const notes = [
    ...(choices.length > 0 && placeholder !== choices.join('|') ? [`One of ${choices.join(', ')}.`] : []),
    ...(command.input.required?.includes(field) ? ['Required.'] : []),
    ...(schema.type === 'array' ? ['May be repeated.'] : []),
  ];
  return [`${label} ${placeholder}`, [description, ...notes].join(' ')];
}

const writeOperands = ({ operands, input }: Command): string =>
  operands.map((name) => (input.required?.includes(fieldOf(name)) ? ` ${name}` : ` [${name}]`)).join('');

function commandHelp(command: Command): string {
  const operands = writeOperands(command);
  const options = optionsOf(command).length > 0 ? ' [options]' : '';
  const rows = [...command.operands.map(fieldOf), ...optionsOf(command)].map((field) => optionRow(command, field));
  const summary = wrap(command.summary, DEFAULT_COLUMNS).join('\n');
  return (
    `${summary}\n\nUsage: npx ${nameOf(command)}${operands}${options}\n` +
    `${rows.length > 0 ? `\n${table(rows)}` : ''}\nExample:\n${writeExample(command.example)}\n${EVERYWHERE}`
  );
}

const summary = (command: Command): [string, string] => [
  command.path.join(' ') + writeOperands(command),
  command.summary,
];

/** The help for a command or group. Throws a UsageError if there is no such command. */
export function helpFor(commands: readonly Command[], words: readonly string[]): string {
  if (words.length === 0) return `${INTRODUCTION}\n${table(commands.map(summary))}${FIRST_STEPS}${EVERYWHERE}`;
  const command = findCommand(commands, words);
  if (command !== undefined) return commandHelp(command);
  const group = commands.filter(({ path }) => path[0] === words[0]);
  if (group.length === 0 || words.length > 1) throw explainUnknown(commands, words);
  const examples = group.map(({ example }) => `${writeExample(example)}\n`).join('');
  return `Usage: npx foreword ${words[0]} COMMAND\n\n${table(group.map(summary))}\nExamples:\n${examples}${EVERYWHERE}`;
}
