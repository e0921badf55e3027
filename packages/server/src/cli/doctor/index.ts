/** Runs `foreword doctor`: checks a setup and says how to fix it. */

import { type Config, readConfig } from '../../app/config/index.ts';
import { findIneffective } from '../../app/config/variables.ts';
import { describeDatabase } from '../../app/database.ts';
import { shownSettings } from '../../app/shown-settings.ts';
import { findRunningService, type RunningService } from '../../platform/data-dir.ts';
import { ConfigError, EXIT_BAD_CONFIGURATION } from '../../platform/process.ts';
import { defineCommand } from '../command.ts';
import type { Outcome } from '../print.ts';
import { checkCarriers } from './carriers.ts';
import { checkDatabase } from './database.ts';
import { checkEmailDomain } from './email.ts';
import { type Finding, note, ok, overall, problem, warning } from './finding.ts';
import { checkDatabasePackage, checkDisk, checkFolder, checkMedia, checkNode, checkVideos } from './machine.ts';
import { checkServer, checkSignIn } from './server.ts';

const EXIT_PROBLEM = 1;

const UNSET: Readonly<Record<string, string>> = {
  DATABASE_URL: '(unset: embedded)',
  DNS_SERVERS: '(unset: those of the system)',
  DATABASE_DIRECT_URL: '(unset: DATABASE_URL)',
  DATABASE_READ_URL: '(unset: DATABASE_URL)',
  SERVER_KEY: '(unset: server.key in DATA_DIR)',
  FFMPEG_PATH: '(unset: from PATH, otherwise from npm)',
  METRICS_PORT: '(unset: PORT)',
};

function toText(settings: Readonly<Record<string, unknown>>, findings: readonly Finding[]): string {
  const longest = Math.max(0, ...Object.keys(settings).map((name) => name.length));
  const variables = Object.entries(settings).map(
    ([name, value]) => `  ${name.padEnd(longest + 2)}${value ?? UNSET[name] ?? '(unset)'}`,
  );
  const found = findings.map(({ name, status, message, next }) => {
    const line = `  ${status.padEnd(9)}${name}: ${message}`;
    return next === null ? line : `${line}\n  ${''.padEnd(9)}→ ${next}`;
  });
  const head = variables.length > 0 ? ['Configuration:', ...variables, ''] : [];
  return [...head, 'Checks:', ...found].join('\n');
}

function report(settings: Readonly<Record<string, unknown>>, findings: readonly Finding[], exitCode: number): Outcome {
  const json = { object: 'doctor', status: overall(findings), configuration: settings, checks: findings };
  return { json, text: toText(settings, findings), exitCode };
}

function checkVariables(): Finding {
  const name = 'configuration';
  const ineffective = findIneffective();
  if (ineffective.length === 0) return ok(name, 'All variables are valid.');
  return warning(name, ineffective.join(' '), 'docs/self-hosting/configuration.md lists all variables.');
}

/** The checks need secrets, which only the environment has, so they use the settings of this shell. */
function compareSettings(running: RunningService | null, own: Readonly<Record<string, unknown>>): Finding[] {
  if (running === null) return [];
  const names = Object.keys(own).filter((name) => running.settings[name] !== own[name]);
  if (names.length === 0) return [ok('settings', 'Those of the running service.')];
  const message = `Those of the running service. The checks use those of this shell, which differ in ${names.join(', ')}.`;
  return [note('settings', message, 'To check its settings, run foreword doctor with the environment of the service.')];
}

async function examine(): Promise<Outcome> {
  const node = checkNode(process.versions.node);
  let config: Config;
  try {
    config = readConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const finding = problem(
      'configuration',
      `${error.message}.`,
      'Fix this variable. The service does not start until it is valid.',
    );
    return { ...report({}, [node, finding], EXIT_BAD_CONFIGURATION), complaint: error.message };
  }
  const own = shownSettings(config);
  const running = await findRunningService(config.dataDir, describeDatabase(config));
  const settings = running?.settings ?? own;
  const findings = [
    node,
    checkVariables(),
    ...compareSettings(running, own),
    checkDatabasePackage(config),
    checkFolder(config),
    checkDisk(config),
    await checkVideos(config),
    ...(await checkMedia(config)),
    ...(await checkCarriers(config, settings)),
    ...(await checkEmailDomain(config)),
    await checkSignIn(config),
    ...(await checkDatabase(config)),
    ...(await checkServer(config, running)),
  ];
  return report(settings, findings, overall(findings) === 'problem' ? EXIT_PROBLEM : 0);
}

export const doctorCommand = defineCommand(
  {
    name: 'doctor',
    summary: 'Checks the setup, and reports problems and how to fix them. Changes nothing.',
    input: {},
  },
  examine,
);
