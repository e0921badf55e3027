/** Runs `foreword doctor`: checks a setup and says how to fix it. */

import { Type } from 'typebox';
import { findIneffective } from '../config/variables.ts';
import { type Config, ConfigError, readConfig } from '../config.ts';
import { describeDatabase } from '../database.ts';
import { EXIT_BAD_CONFIGURATION } from '../exit.ts';
import { type Command, checkValues, type Outcome } from './command.ts';
import { checkCarriers } from './doctor/carriers.ts';
import { checkDatabase } from './doctor/database.ts';
import { checkEmailDomain } from './doctor/email.ts';
import { type Finding, ok, overall, problem, warning } from './doctor/finding.ts';
import { checkDatabasePackage, checkDisk, checkFolder, checkMedia, checkNode, checkObjects } from './doctor/machine.ts';
import { checkServer } from './doctor/server.ts';
import { checkSignIn } from './doctor/signin.ts';

const EXIT_PROBLEM = 1;

function describeAddress(text: string): string {
  const { protocol, host, pathname } = new URL(text);
  return `${protocol}//${host}${pathname}`;
}

/** The configuration by variable name. An allow-list, without secrets. */
const configuration = (config: Config) => ({
  PORT: config.port,
  HOST: config.host,
  PUBLIC_URL: config.publicUrl,
  DATA_DIR: config.dataDir,
  WORK_DIR: config.workDir ?? null,
  DATABASE_URL: config.databaseUrl === undefined ? null : describeDatabase(config),
  DATABASE_DIRECT_URL: config.databaseDirectUrl === undefined ? null : describeAddress(config.databaseDirectUrl),
  DATABASE_READ_URL: config.databaseReadUrl === undefined ? null : describeAddress(config.databaseReadUrl),
  // Without user, password and query: an S3 URL may contain the secret.
  OBJECTS_URL: describeAddress(config.objectsUrl),
  SERVER_KEY: config.serverKey === undefined ? null : 'set',
  SERVER_KEY_PREVIOUS: config.previousServerKeys.length === 0 ? null : 'set',
  FFMPEG_PATH: config.ffmpegPath ?? null,
  MEDIA_ISOLATION: config.isolateMedia ? 'on' : 'off',
  UPLOAD_MAX_MB: config.maxUploadBytes / 1_000_000,
  ORIGINALS_DAYS: config.originalsDays,
  SMS_CARRIER: config.carriers.text.carrier,
  SMS_CARRIER_FALLBACK: config.carriers.fallback?.carrier ?? null,
  SMTP_URL: config.carriers.mail === undefined ? null : describeAddress(config.carriers.mail.url),
  MAIL_FROM: config.carriers.mail?.from ?? null,
  MAIL_BOUNCES_TO: config.carriers.mail?.bouncesTo ?? null,
  MAIL_BOUNCE_SECRET: config.carriers.mail?.bounceSecret === undefined ? null : 'set',
  DKIM_DOMAIN: config.carriers.mail?.dkim?.domain ?? null,
  DKIM_SELECTOR: config.carriers.mail?.dkim?.selector ?? null,
  DKIM_PRIVATE_KEY: config.carriers.mail?.dkim === undefined ? null : 'set',
  OIDC_ISSUER: config.company === undefined ? null : describeAddress(config.company.issuer),
  FOREWORD_ROLE: [...config.roles].join(','),
  FOREWORD_CELL: config.cell ?? null,
  DNS_SERVERS: config.dnsServers?.join(', ') ?? null,
  RATE_LIMIT: config.rateLimit === null ? 'off' : `${config.rateLimit.perSecond}/${config.rateLimit.burst}`,
  FOREWORD_DEMO: config.demo ? 'on' : 'off',
  DOCS_SITE: config.docsSite ? 'on' : 'off',
  METRICS_TOKEN: config.metricsToken === undefined ? null : 'set',
  METRICS_PORT: config.metricsPort ?? null,
  OTEL_EXPORTER_OTLP_ENDPOINT: config.otlp === undefined ? null : describeAddress(config.otlp.endpoint),
  OTEL_METRICS_EXPORTER: config.otlp === undefined ? null : config.otlp.metrics === undefined ? 'none' : 'otlp',
  OTEL_TRACES_EXPORTER: config.otlp === undefined ? null : config.otlp.traces === undefined ? 'none' : 'otlp',
  LOG_LEVEL: config.logLevel,
});

const UNSET: Readonly<Record<string, string>> = {
  DATABASE_URL: '(unset: embedded)',
  DNS_SERVERS: '(unset: those of the system)',
  DATABASE_DIRECT_URL: '(unset: DATABASE_URL)',
  DATABASE_READ_URL: '(unset: DATABASE_URL)',
  WORK_DIR: '(unset: work in DATA_DIR)',
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
  const findings = [
    node,
    checkVariables(),
    checkDatabasePackage(config),
    checkFolder(config),
    checkDisk(config),
    await checkObjects(config),
    ...(await checkMedia(config)),
    ...(await checkCarriers(config)),
    ...(await checkEmailDomain(config)),
    await checkSignIn(config),
    ...(await checkDatabase(config)),
    ...(await checkServer(config)),
  ];
  return report(configuration(config), findings, overall(findings) === 'problem' ? EXIT_PROBLEM : 0);
}

export const doctorCommand: Command = {
  path: ['doctor'],
  summary: 'Checks the setup, and reports problems and how to fix them. Changes nothing.',
  operand: undefined,
  input: Type.Object({}),
  example: 'foreword doctor',
  async perform(values) {
    checkValues(doctorCommand, doctorCommand.input, values);
    return examine();
  },
};
