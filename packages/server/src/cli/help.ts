import { type Command, fieldOf, labelOf, nameOf, optionsOf, unionOf } from './command.ts';
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
