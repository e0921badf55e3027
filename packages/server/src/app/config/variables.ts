import { editDistance } from '../../platform/nearest.ts';

/** Every environment variable of the service: `config.ts` can read no other. compose.yaml and docs/self-hosting/configuration.md list the same. */
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

export type Variable = (typeof VARIABLES)[number];

/** Variables of `foreword mcp`, and one of OpenTelemetry that looks like a mistake but is not. */
const OTHERS = ['FOREWORD_URL', 'FOREWORD_API_KEY', 'OTEL_BLRP_SCHEDULE_DELAY'];
/** In short names, two letters are half of the word: HOME is not HOST. */
const SHORT = 5;

const isMistyped = (written: string, name: string): boolean =>
  editDistance(written, name) <= (name.length <= SHORT ? 1 : 2);

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
