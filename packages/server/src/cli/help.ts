import { type Command, nameOf, operandsOf } from './command.ts';
import { DEFAULT_COLUMNS, twoColumns, wrap } from './layout.ts';
import { explainUnknown, findCommand } from './parse.ts';

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

const choicesOf = (schema: OptionSchema): string[] | undefined => schema.items?.enum ?? schema.enum;

function placeholderOf(name: string, schema: OptionSchema): string {
  const choices = choicesOf(schema)?.join('|');
  if (choices !== undefined && choices.length <= MAX_PLACEHOLDER) return choices;
  return name === 'org' ? 'ID' : (name.split('-').at(-1)?.toUpperCase() ?? 'VALUE');
}

function optionRow(command: Command, name: string): [string, string] {
  const schema = command.input.properties[name] as OptionSchema;
  const description = schema.description ?? schema.items?.description ?? '';
  if (operandsOf(command).includes(name)) return [name, description];
  const placeholder = placeholderOf(name, schema);
  const choices = choicesOf(schema) ?? [];
  const notes = [
    ...(choices.length > 0 && placeholder !== choices.join('|') ? [`One of ${choices.join(', ')}.`] : []),
    ...(command.input.required?.includes(name) ? ['Required.'] : []),
    ...(schema.type === 'array' ? ['May be repeated.'] : []),
  ];
  return [`--${name} ${placeholder}`, [description, ...notes].join(' ')];
}

const writeOperands = ({ operand, optionalOperand }: Command): string =>
  (operand === undefined ? '' : ` ${operand}`) + (optionalOperand === undefined ? '' : ` [${optionalOperand}]`);

function commandHelp(command: Command): string {
  const names = Object.keys(command.input.properties);
  const operand = writeOperands(command);
  const options = names.some((name) => !operandsOf(command).includes(name)) ? ' [options]' : '';
  const rows = names.map((name) => optionRow(command, name));
  const summary = wrap(command.summary, DEFAULT_COLUMNS).join('\n');
  return (
    `${summary}\n\nUsage: npx ${nameOf(command)}${operand}${options}\n` +
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
