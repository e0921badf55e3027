import { dkimRecordName } from '../platform/dkim.ts';
import type { Config } from './config/index.ts';
import { describeDatabase } from './database.ts';

function describeAddress(text: string): string {
  const { protocol, host, pathname } = new URL(text);
  return `${protocol}//${host}${pathname}`;
}

const describeKeys = ({ serverKey, previousServerKeys: previous }: Config): string | null => {
  if (serverKey === undefined) return null;
  return previous.length === 0 ? 'set' : `set, with ${previous.length} previous`;
};

/** The settings in use by variable name. An allow-list, without secrets. */
export const shownSettings = (config: Config) => ({
  PORT: config.port,
  HOST: config.host,
  PUBLIC_URL: config.publicUrl,
  TRUSTED_PROXIES: config.trustedProxies.join(', '),
  DATA_DIR: config.dataDir,
  DATABASE_URL: config.databaseUrl === undefined ? null : describeDatabase(config),
  DATABASE_DIRECT_URL: config.databaseDirectUrl === undefined ? null : describeAddress(config.databaseDirectUrl),
  DATABASE_READ_URL: config.databaseReadUrl === undefined ? null : describeAddress(config.databaseReadUrl),
  // Without user, password and query: an S3 URL may contain the secret.
  OBJECTS_URL: describeAddress(config.objectsUrl),
  SERVER_KEY: describeKeys(config),
  FFMPEG_PATH: config.ffmpegPath ?? null,
  MEDIA_ISOLATION: config.isolateMedia ? 'on' : 'off',
  UPLOAD_MAX_MB: config.maxUploadBytes / 1_000_000,
  UPLOADS_DAILY_GB: config.maxDailyUploadBytes / 1_000_000_000,
  ORIGINALS_DAYS: config.originalsDays,
  SMS_CARRIER: config.carriers.text.carrier,
  SMS_CARRIER_FALLBACK: config.carriers.fallback?.carrier ?? null,
  SMTP_URL: config.carriers.mail === undefined ? null : describeAddress(config.carriers.mail.url),
  MAIL_FROM: config.carriers.mail?.from ?? null,
  DKIM_SELECTOR: config.carriers.mail?.dkim === undefined ? null : dkimRecordName(config.carriers.mail.dkim),
  DKIM_PRIVATE_KEY: config.carriers.mail?.dkim === undefined ? null : 'set',
  OIDC_ISSUER: config.company === undefined ? null : describeAddress(config.company.issuer),
  FOREWORD_ROLE: [...config.roles].join(','),
  FOREWORD_CELL: config.cell ?? null,
  WEBHOOKS_ALLOW_PRIVATE: config.webhooksAllowPrivate ? 'on' : 'off',
  DNS_SERVERS: config.dnsServers?.join(', ') ?? null,
  RATE_LIMIT: config.rateLimit === null ? 'off' : `${config.rateLimit.perSecond}/${config.rateLimit.burst}`,
  FOREWORD_DEMO: config.demo ? 'on' : 'off',
  DOCS_SITE: config.docsSite ? 'on' : 'off',
  METRICS_TOKEN: config.metricsToken === undefined ? null : 'set',
  METRICS_PORT: config.metricsPort ?? null,
  OTEL_EXPORTER_OTLP_ENDPOINT: config.otlp === undefined ? null : describeAddress(config.otlp.endpoint),
  OTEL_METRICS_EXPORTER: config.otlp === undefined ? null : config.otlp.sendsMetrics ? 'otlp' : 'none',
  LOG_LEVEL: config.logLevel,
});
