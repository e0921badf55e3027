import { DatabaseError } from '../app/database.ts';
import { reasonOf } from '../db/requirements.ts';
import { ConfigError, EXIT_BAD_CONFIGURATION, version } from '../platform/process.ts';
import type { Command } from './command.ts';
import { explainUnknown, findCommand, helpFor, type Invocation, readArguments, readValues } from './parse.ts';
import type { Outcome } from './print.ts';
import { UsageError } from './terminal.ts';

type Commands = readonly Command[];

const loadBackup = async (): Promise<Commands> => (await import('./backup/index.ts')).backupCommands;
const loadArchive = async (): Promise<Commands> => (await import('./archive.ts')).archiveCommands;
const loadDelivery = async (): Promise<Commands> => (await import('./delivery.ts')).deliveryCommands;

/**
 * Command groups in the order in which a new operator needs them. Loading the service's modules takes most of a command's
 * time, so only the requested group is loaded.
 */
const GROUPS: Readonly<Record<string, () => Promise<Commands>>> = {
  start: async () => [(await import('./start.ts')).startCommand],
  org: async () => (await import('./organizations.ts')).organizationCommands,
  member: async () => (await import('./members.ts')).memberCommands,
  signin: async () => [(await import('./signin.ts')).signInCommand],
  key: async () => (await import('./keys.ts')).keyCommands,
  touchpoint: async () => (await import('./touchpoints.ts')).touchpointCommands,
  event: async () => (await import('./operations.ts')).eventCommands,
  intro: async () => (await import('./intros.ts')).introCommands,
  recipient: async () => (await import('./operations.ts')).recipientCommands,
  delivery: loadDelivery,
  message: loadDelivery,
  email: async () => [(await import('./email.ts')).dkimCommand],
  webhook: async () => (await import('./operations.ts')).webhookCommands,
  'link-domain': async () => (await import('./operations.ts')).linkDomainCommands,
  audit: async () => (await import('./privacy.ts')).auditCommands,
  retention: async () => (await import('./privacy.ts')).retentionCommands,
  backup: loadBackup,
  restore: loadBackup,
  export: loadArchive,
  import: loadArchive,
  'server-key': async () => [(await import('./server-key.ts')).rotateCommand],
  mcp: async () => [(await import('./mcp.ts')).mcpCommand],
  migrate: async () => [(await import('./migrate.ts')).migrateCommand],
  doctor: async () => [(await import('./doctor/index.ts')).doctorCommand],
};

/** The commands of the group named first on the command line; all commands if it starts differently. */
async function loadCommands([first = '']: readonly string[]): Promise<Commands> {
  const loads = Object.hasOwn(GROUPS, first) ? [GROUPS[first]] : new Set(Object.values(GROUPS));
  return (await Promise.all([...loads].map((load) => load?.() ?? []))).flat();
}

export const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

const help = (commands: Commands, words: readonly string[]): Outcome => {
  const text = helpFor(commands, words).trimEnd();
  return { json: { object: 'help', text }, text };
};

function perform(commands: Commands, invocation: Invocation): Outcome | Promise<Outcome> {
  const { words, flags } = invocation;
  if (flags.has('version')) return { json: { object: 'version', version: version() }, text: version() };
  if (words[0] === 'help') return help(commands, words.slice(1));
  if (flags.has('help') || words.length === 0) return help(commands, words);
  const command = findCommand(commands, words);
  if (command === undefined) throw explainUnknown(commands, words);
  return command.perform(readValues(command, invocation));
}

function print({ json, text }: Outcome, asJson: boolean, columns: number): string {
  if (json === undefined) return '';
  const readable = typeof text === 'string' ? text : text(columns);
  return `${asJson ? JSON.stringify(json) : readable}\n`;
}

/** Errors for which the service exits with 78, too. */
const isBadConfiguration = (error: unknown): boolean =>
  error instanceof ConfigError || (error instanceof DatabaseError && error.isPermanent);

function exitCodeFor(error: unknown): number {
  if (error instanceof UsageError) return EXIT_USAGE;
  return isBadConfiguration(error) ? EXIT_BAD_CONFIGURATION : EXIT_FAILED;
}

/** Removes line breaks and control characters, which could come from user input and control the terminal. */
const oneLine = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, ' ').trim();

const ERROR_CODES: Readonly<Record<number, string>> = {
  [EXIT_FAILED]: 'failed',
  [EXIT_USAGE]: 'invalid_usage',
  [EXIT_BAD_CONFIGURATION]: 'invalid_configuration',
};

/** One line on stderr. A command that succeeded may have a warning. */
export function complaint(message: string, exitCode: number, asJson: boolean): string {
  const line = oneLine(message);
  if (!asJson) return `foreword: ${line}\n`;
  const document =
    exitCode === 0 ? { warning: { message: line } } : { error: { code: ERROR_CODES[exitCode], message: line } };
  return `${JSON.stringify(document)}\n`;
}

/** Runs a command line for a terminal of the given width. Leaves writing the output and exiting to the caller. */
export async function runCommandLine(args: string[], columns: number) {
  // Also if the arguments cannot be read.
  const asJson = args.includes('--json');
  try {
    const commands = await loadCommands(args);
    const invocation = readArguments(args, commands);
    const outcome = await perform(commands, invocation);
    const { exitCode = 0, complaint: warning } = outcome;
    return {
      exitCode,
      stdout: print(outcome, asJson, columns),
      stderr: warning === undefined ? '' : complaint(warning, exitCode, asJson),
    };
  } catch (error) {
    const exitCode = exitCodeFor(error);
    return { exitCode, stdout: '', stderr: complaint(reasonOf(error), exitCode, asJson) };
  }
}
