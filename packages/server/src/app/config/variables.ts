import { editDistance } from '../../platform/nearest.ts';
import { ConfigError } from '../../platform/process.ts';

/** Every environment variable of the service: `index.ts` can read no other. compose.yaml and docs/self-hosting/configuration.md list the same. */
export const VARIABLES = [
  'PORT',
  'HOST',
  'PUBLIC_URL',
  'TRUSTED_PROXIES',
  'DATA_DIR',
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'DATABASE_READ_URL',
  'SERVER_KEY',
  'OBJECTS_URL',
  'FFMPEG_PATH',
  'MEDIA_ISOLATION',
  'UPLOAD_MAX_MB',
  'UPLOADS_DAILY_GB',
  'ORIGINALS_DAYS',
  'SMS_CARRIER',
  'SMS_CARRIER_FALLBACK',
  'TWILIO_ACCOUNT_SID',
  'TWILIO_AUTH_TOKEN',
  'TWILIO_FROM',
  'TWILIO_MESSAGING_SERVICE_SID',
  'TWILIO_API_URL',
  'TELNYX_API_KEY',
  'TELNYX_PUBLIC_KEY',
  'TELNYX_FROM',
  'TELNYX_MESSAGING_PROFILE_ID',
  'TELNYX_API_URL',
  'SMS_HTTP_URL',
  'SMS_HTTP_SECRET',
  'SMS_SEGMENT_PRICE',
  'SMTP_URL',
  'MAIL_FROM',
  'DKIM_SELECTOR',
  'DKIM_PRIVATE_KEY',
  'OIDC_ISSUER',
  'WEBHOOKS_ALLOW_PRIVATE',
  'DNS_SERVERS',
  'FOREWORD_ROLE',
  'FOREWORD_CELL',
  'RATE_LIMIT',
  'FOREWORD_DEMO',
  'DOCS_SITE',
  'METRICS_TOKEN',
  'METRICS_PORT',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_METRICS_EXPORTER',
  'OTEL_TRACES_SAMPLER',
  'OTEL_TRACES_SAMPLER_ARG',
  'LOG_LEVEL',
] as const;

type Variable = (typeof VARIABLES)[number];

/** Variables of `foreword mcp`, and one of OpenTelemetry that looks like a mistake but is not. */
const OTHERS = ['FOREWORD_URL', 'FOREWORD_API_KEY', 'OTEL_BLRP_SCHEDULE_DELAY'];
/** In short names, two letters are half of the word: HOME is not HOST. */
const SHORT = 5;

const isMistyped = (written: string, name: string): boolean =>
  Math.abs(written.length - name.length) <= 2 &&
  editDistance(written.toUpperCase().replaceAll('-', '_'), name) <= (name.length <= SHORT ? 1 : 2);

/** One sentence for each variable that is set but probably has no effect. Values may be secrets and are not shown. */
export function findIneffective(environment: Readonly<Record<string, string | undefined>> = process.env): string[] {
  const known: readonly string[] = [...VARIABLES, ...OTHERS];
  const given = Object.keys(environment).filter((name) => environment[name]);
  const mistyped = given.flatMap((written) => {
    if (known.includes(written)) return [];
    const name = VARIABLES.find((each) => isMistyped(written, each));
    return name === undefined ? [] : [`${written} is not a variable of Foreword. Did you mean ${name}?`];
  });
  if (environment.SMS_CARRIER) return mistyped;
  // TWILIO_API_URL also applies to organizations with an account of their own.
  const unused = given.filter((name) => /^(TWILIO|TELNYX)_/.test(name) && name !== 'TWILIO_API_URL');
  return [...mistyped, ...unused.map((name) => `${name} has no effect because SMS_CARRIER is not set.`)];
}

/** The value of a variable; undefined if it is unset or empty. */
export type Read = (name: Variable) => string | undefined;

export function readRequired(read: Read, name: Variable, requiredBy: string): string {
  const text = read(name);
  if (text === undefined) throw new ConfigError(`${name} is missing: ${requiredBy} requires it`);
  return text;
}

const MIN_SECRET = 16;

/** A password that other programs send, in a header or as part of a URL: without characters that have a meaning there. */
export function checkSecret(name: string, secret: string): void {
  if (new RegExp(`^[A-Za-z0-9_-]{${MIN_SECRET},}$`).test(secret)) return;
  // Does not show the value: it is a secret.
  throw new ConfigError(`${name} must be at least ${MIN_SECRET} letters, digits, hyphens and underscores`);
}

export function readUrl(name: string, text: string, schemes: readonly string[]): string {
  const url = URL.parse(text);
  if (url !== null && url.hostname !== '' && schemes.includes(url.protocol)) return text;
  const starts = schemes.map((scheme) => `${scheme}//`);
  // Does not show the value: a URL may contain a password.
  throw new ConfigError(
    starts.some((start) => text.startsWith(start))
      ? `${name} is not a valid URL: check its host and port, and percent-encode special characters in its password`
      : `${name} must be a URL that starts with ${starts.join(' or ')}`,
  );
}

/** The name of an installation, which is part of its API keys. */
export function readCell(text: string | undefined): string | undefined {
  if (text === undefined || /^[a-z][a-z0-9]{0,7}$/.test(text)) return text;
  throw new ConfigError(
    `FOREWORD_CELL must be 1 to 8 lowercase letters and digits that start with a letter, such as eu1, not "${text}"`,
  );
}

export function readCount(name: string, text: string, [min, max]: [number, number]): number {
  const count = Number(text);
  if (/^\d{1,9}$/.test(text) && count >= min && count <= max) return count;
  throw new ConfigError(`${name} must be a whole number from ${min} to ${max}, not "${text}"`);
}

const DATABASE_OPTION = 'as an option of DATABASE_URL and its variants:';
const OIDC_CLIENT = 'put the client into OIDC_ISSUER: https://CLIENT_ID:CLIENT_SECRET@host';
const S3_KEY = 'put the key into OBJECTS_URL: s3://KEY:SECRET@host/bucket';
/**
 * A start that ignored one of them could stop signing emails, or encrypting connections. Platforms set the variables of OpenTelemetry for
 * all programs, so those that Foreword does not read are ignored.
 */
const REPLACED: Readonly<Record<string, string>> = {
  PGSSLMODE: `give it ${DATABASE_OPTION} ?sslmode=verify-full`,
  PGSSLROOTCERT: `give it ${DATABASE_OPTION} ?sslmode=verify-full&sslrootcert=/path/ca.pem`,
  SERVER_KEY_PREVIOUS: 'add the previous key to SERVER_KEY, after a comma',
  S3_ACCESS_KEY_ID: S3_KEY,
  S3_SECRET_ACCESS_KEY: S3_KEY,
  MEDIA_REDIRECT: 'add ?redirect=on to OBJECTS_URL',
  WORK_DIR: 'mount or link the folder at work in DATA_DIR',
  MAIL_BOUNCES_TO: 'add ?bounces_to=ADDRESS to SMTP_URL',
  MAIL_BOUNCE_SECRET: 'add ?bounce_secret=SECRET to SMTP_URL',
  DKIM_DOMAIN: 'set DKIM_SELECTOR to the name of the record: SELECTOR._domainkey.DOMAIN',
  DKIM_PRIVATE_KEY_FILE: 'set DKIM_PRIVATE_KEY to the path of the file',
  OIDC_CLIENT_ID: OIDC_CLIENT,
  OIDC_CLIENT_SECRET: OIDC_CLIENT,
  API_KEYS_MAX: 'an organization has at most 50 active keys; remove the variable',
};

export function refuseReplaced(environment: Readonly<Record<string, string | undefined>>): void {
  const name = Object.keys(REPLACED).find((replaced) => environment[replaced]);
  if (name !== undefined) throw new ConfigError(`${name} is no longer a variable of Foreword: ${REPLACED[name]}`);
}
