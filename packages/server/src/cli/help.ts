import { type Command, nameOf, operandsOf } from './command.ts';
import { explainUnknown, findCommand } from './parse.ts';

const INTRODUCTION = `foreword sets up organizations, members, API keys and touchpoints.

It works on the same database as the service and finds it the same way: DATABASE_URL, or the embedded one in
DATA_DIR (./data). It may be run beside a running service or without one.

Usage: npx foreword COMMAND [options]
`;

// Plain node takes the id out of the document, so that it works with nothing else installed.
const FIRST_STEPS = `
From nothing to a first API key:
  ORG=$(npx foreword org create --name "Acme Roofing" --industry exterior_remodeling --json | node -p 'JSON.parse(require("fs").readFileSync(0)).id')
  npx foreword member create --org "$ORG" --first-name Ana --last-name Ng --email ana@acme.example
  npx foreword key create --org "$ORG"
`;

const EVERYWHERE = `
With every command:
  --json     exactly one JSON document on stdout, for programs
  --help     what the command does; also: foreword help COMMAND
  --version  the version of Foreword

Exit codes: 0 done; 1 it could not be done, and stderr says why; 2 the command line is wrong; 78 bad configuration.
`;

const ORG_NOTE = '\nORG stands for the id of an organization: foreword org list shows it.\n';

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
  const says = schema.description ?? schema.items?.description ?? '';
  if (operandsOf(command).includes(name)) return [name, says];
  const notes = [
    ...(command.input.required?.includes(name) ? ['Required.'] : []),
    ...(schema.type === 'array' ? ['May be repeated.'] : []),
  ];
  return [`--${name} ${placeholderOf(name, schema)}`, [says, ...notes].join(' ')];
}

const writeOperands = ({ operand, optionalOperand }: Command): string =>
  (operand === undefined ? '' : ` ${operand}`) + (optionalOperand === undefined ? '' : ` [${optionalOperand}]`);

function commandHelp(command: Command): string {
  const names = Object.keys(command.input.properties);
  const operand = writeOperands(command);
  const options = names.some((name) => !operandsOf(command).includes(name)) ? ' [options]' : '';
  const rows = names.map((name) => optionRow(command, name));
  return (
    `${command.says}\n\nUsage: npx ${nameOf(command)}${operand}${options}\n` +
    `${rows.length > 0 ? `\n${indent(rows)}` : ''}\nExample:\n  npx ${command.example}\n` +
    `${command.example.includes('$ORG') ? ORG_NOTE : ''}${EVERYWHERE}`
  );
}

const summary = (command: Command): [string, string] => [command.path.join(' ') + writeOperands(command), command.says];

/** The help for these words; throws a UsageError when they are no command. */
export function helpFor(commands: readonly Command[], words: readonly string[]): string {
  if (words.length === 0) return `${INTRODUCTION}\n${indent(commands.map(summary))}${FIRST_STEPS}${EVERYWHERE}`;
  const command = findCommand(commands, words);
  if (command !== undefined) return commandHelp(command);
  const group = commands.filter(({ path }) => path[0] === words[0]);
  if (group.length === 0 || words.length > 1) throw explainUnknown(commands, words);
  const examples = group.map(({ example }) => `  npx ${example}\n`).join('');
  return `Usage: npx foreword ${words[0]} COMMAND\n\n${indent(group.map(summary))}\nExamples:\n${examples}${ORG_NOTE}${EVERYWHERE}`;
}
