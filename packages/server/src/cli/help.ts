import { type Command, nameOf, operandsOf } from './command.ts';
import { explainUnknown, findCommand } from './parse.ts';

const INTRODUCTION = `foreword starts the service, and manages organizations, members, API keys, touchpoints, intros and webhooks.

The commands use the same database as the service: DATABASE_URL, or the embedded database in DATA_DIR (./data).
They work whether or not the service is running.

Usage: npx foreword COMMAND [options]
`;

// Uses node to read the id from the JSON, so that no other tool is needed.
const FIRST_STEPS = `
From an empty database to a first API key:
  ORG=$(npx foreword org create --name "Acme Roofing" --industry exterior_remodeling --json | node -p 'JSON.parse(require("fs").readFileSync(0)).id')
  npx foreword member create --org "$ORG" --first-name Ana --last-name Ng --email ana@acme.example
  npx foreword key create --org "$ORG"
`;

const EVERYWHERE = `
Options of every command:
  --json     print exactly one JSON document to stdout
  --help     show help for the command (also: foreword help COMMAND)
  --version  show the version of Foreword

Exit codes: 0 success; 1 failure (the reason is on stderr); 2 invalid command line; 78 invalid configuration.
`;

const ORG_NOTE = '\n$ORG is the id of an organization (see foreword org list).\n';

interface OptionSchema {
  type?: string;
  enum?: string[];
  description?: string;
  items?: OptionSchema;
}

const indent = (rows: readonly (readonly [string, string])[]): string => {
  const width = Math.max(...rows.map(([left]) => left.length)) + 2;
  return rows.map(([left, right]) => `  ${left.padEnd(width)}${right}\n`).join('');
};

function placeholderOf(name: string, schema: OptionSchema): string {
  const choices = schema.items?.enum ?? schema.enum;
  if (choices !== undefined) return choices.join('|');
  return name === 'org' ? 'ID' : (name.split('-').at(-1)?.toUpperCase() ?? 'VALUE');
}

function optionRow(command: Command, name: string): [string, string] {
  const schema = command.input.properties[name] as OptionSchema;
  const description = schema.description ?? schema.items?.description ?? '';
  if (operandsOf(command).includes(name)) return [name, description];
  const notes = [
    ...(command.input.required?.includes(name) ? ['Required.'] : []),
    ...(schema.type === 'array' ? ['May be repeated.'] : []),
  ];
  return [`--${name} ${placeholderOf(name, schema)}`, [description, ...notes].join(' ')];
}

const writeOperands = ({ operand, optionalOperand }: Command): string =>
  (operand === undefined ? '' : ` ${operand}`) + (optionalOperand === undefined ? '' : ` [${optionalOperand}]`);

function commandHelp(command: Command): string {
  const names = Object.keys(command.input.properties);
  const operand = writeOperands(command);
  const options = names.some((name) => !operandsOf(command).includes(name)) ? ' [options]' : '';
  const rows = names.map((name) => optionRow(command, name));
  return (
    `${command.summary}\n\nUsage: npx ${nameOf(command)}${operand}${options}\n` +
    `${rows.length > 0 ? `\n${indent(rows)}` : ''}\nExample:\n  npx ${command.example}\n` +
    `${command.example.includes('$ORG') ? ORG_NOTE : ''}${EVERYWHERE}`
  );
}

const summary = (command: Command): [string, string] => [
  command.path.join(' ') + writeOperands(command),
  command.summary,
];

/** The help for a command or group. Throws a UsageError if there is no such command. */
export function helpFor(commands: readonly Command[], words: readonly string[]): string {
  if (words.length === 0) return `${INTRODUCTION}\n${indent(commands.map(summary))}${FIRST_STEPS}${EVERYWHERE}`;
  const command = findCommand(commands, words);
  if (command !== undefined) return commandHelp(command);
  const group = commands.filter(({ path }) => path[0] === words[0]);
  if (group.length === 0 || words.length > 1) throw explainUnknown(commands, words);
  const examples = group.map(({ example }) => `  npx ${example}\n`).join('');
  return `Usage: npx foreword ${words[0]} COMMAND\n\n${indent(group.map(summary))}\nExamples:\n${examples}${ORG_NOTE}${EVERYWHERE}`;
}
