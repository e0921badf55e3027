/** Reads the environment variables: the only code that does. */

import { Resolver } from 'node:dns';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CompanySettings } from '../../console/index.ts';
import { readDatabaseUrl } from '../../db/url.ts';
import type { CarrierSettings } from '../../delivery/index.ts';
import type { RateLimit } from '../../http/access/index.ts';
import { readTrustedProxies, type TrustsProxy } from '../../platform/client-address.ts';
import type { LogLevel } from '../../platform/log.ts';
import { readObjectsUrl } from '../../platform/objects/index.ts';
import { isLoopbackUrl } from '../../platform/outbound/addresses.ts';
import { ConfigError } from '../../platform/process.ts';
import { type KeySource, parseServerKey } from '../../platform/server-key.ts';
import { readCarriers } from './carriers.ts';
import { readOtlp } from './otlp.ts';
import { checkSecret, type Read, readCell, readCount, readUrl, refuseReplaced } from './variables.ts';

function readServerKey(text: string): Buffer {
  const key = parseServerKey(text);
  // Does not show the value: every link derives from this secret.
  if (key === null)
    throw new ConfigError('SERVER_KEY must be 64 hexadecimal digits, such as the output of openssl rand -hex 32');
  return key;
}

/** Undefined: server.key in dataDir. The previous keys are also accepted, while the key is rotated. */
function readServerKeys(read: Read) {
  const texts = read('SERVER_KEY')?.split(',') ?? [];
  const [serverKey, ...previousServerKeys] = texts.map((text) => readServerKey(text.trim()));
  return { serverKey, previousServerKeys };
}

/** Where this configuration has its server keys. */
export const keySource = ({
  dataDir,
  serverKey,
  previousServerKeys,
}: Pick<Config, 'dataDir' | 'serverKey' | 'previousServerKeys'>): KeySource => ({
  dataDir,
  given: serverKey === undefined ? [] : [serverKey, ...previousServerKeys],
});

const ROLES = ['api', 'worker', 'media'] as const;
type Role = (typeof ROLES)[number];

type Environment = Readonly<Record<string, string | undefined>>;

const BYTES_PER_MB = 1_000_000;
const BYTES_PER_GB = 1_000_000_000;
/** "All addresses of this machine", as URL writes them in any notation. No link to them can be opened. */
const UNSPECIFIED_HOSTS = ['0.0.0.0', '[::]', '[::ffff:0:0]'];
const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;

function readPort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535)
    throw new ConfigError(`PORT must be a number from 0 to 65535, not "${text}"`);
  return port;
}

function readPublicUrl(text: string): string {
  const url = new URL(readUrl('PUBLIC_URL', text, ['http:', 'https:']));
  if (url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') {
    throw new ConfigError(
      'PUBLIC_URL must be a URL without user, query and fragment, such as https://intros.example.com',
    );
  }
  if (UNSPECIFIED_HOSTS.includes(url.hostname)) {
    throw new ConfigError(
      `PUBLIC_URL must have a host that others can open, such as https://intros.example.com, not ${url.hostname}`,
    );
  }
  // Without the spaces around it, and an empty query or fragment.
  return url.href.replace(/[/?#]+$/, '');
}

/** PUBLIC_URL may be unset only if HOST is an address that links can contain. */
function readListeningUrl(host: string, port: number): string {
  const text = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const url = URL.parse(text);
  if (url === null) throw new ConfigError(`HOST must be an address or a name of this machine, not "${host}"`);
  if (UNSPECIFIED_HOSTS.includes(url.hostname)) {
    throw new ConfigError(
      `PUBLIC_URL is missing: with HOST=${host}, set it to the address from outside, such as https://intros.example.com`,
    );
  }
  return readPublicUrl(text);
}

/** The settings through which texts or emails leave this machine. */
function reachesPeople({ text, fallback, twilioApiUrl, mail }: CarrierSettings): string | undefined {
  const isRemote = (account: CarrierSettings['text'] | undefined): boolean => {
    if (account === undefined || account.carrier === 'log') return false;
    if (account.carrier === 'twilio') return !isLoopbackUrl(twilioApiUrl);
    return !isLoopbackUrl(account.carrier === 'telnyx' ? account.account.apiUrl : account.address.url);
  };
  if (isRemote(text)) return `SMS_CARRIER=${text.carrier}`;
  if (isRemote(fallback)) return `SMS_CARRIER_FALLBACK=${fallback?.carrier}`;
  return mail === undefined || isLoopbackUrl(mail.url) ? undefined : 'SMTP_URL';
}

/** Real people cannot open a link to this machine. */
function requireRealAddress(publicUrl: string | undefined, carriers: CarrierSettings): void {
  const setting = reachesPeople(carriers);
  if (setting === undefined || (publicUrl !== undefined && !isLoopbackUrl(publicUrl))) return;
  const problem = publicUrl === undefined ? 'PUBLIC_URL is missing' : 'PUBLIC_URL leads to this machine';
  throw new ConfigError(
    `${problem}: with ${setting}, set it to the address that people can open, such as https://intros.example.com`,
  );
}

function readProxies(text: string): { trustedProxies: readonly string[]; trustsProxy: TrustsProxy } {
  // Also by spaces and newlines, which separate the lists that CDNs publish.
  const trustedProxies = text.split(/[\s,]+/).filter((entry) => entry !== '');
  if (text === 'off') return { trustedProxies, trustsProxy: () => false };
  const read = readTrustedProxies(trustedProxies);
  if ('trusts' in read) return { trustedProxies, trustsProxy: read.trusts };
  throw new ConfigError(
    `TRUSTED_PROXIES must be "off", or a comma-separated list of networks such as 203.0.113.0/24 and "private", not "${read.unknown}"`,
  );
}

/** `redirectMedia`: video players are redirected to short-lived URLs of the store. */
function readObjectsLocation(text: string) {
  const address = readObjectsUrl(text);
  return { objectsUrl: text, redirectMedia: address.kind === 's3' && address.redirectsPlayers };
}

/**
 * Undefined: the embedded PostgreSQL in dataDir. With the direct URL, which is for work that needs a session, the first one may go
 * through a pooler in transaction mode. The third one is a copy for reports, which may be some seconds old.
 */
function readDatabaseUrls(read: Read) {
  const readOne = (name: 'DATABASE_URL' | 'DATABASE_DIRECT_URL' | 'DATABASE_READ_URL') => {
    const text = read(name);
    return text === undefined ? undefined : readDatabaseUrl(name, text);
  };
  const databaseUrl = readOne('DATABASE_URL');
  const direct = readOne('DATABASE_DIRECT_URL');
  const databaseReadUrl = readOne('DATABASE_READ_URL');
  if (databaseUrl === undefined && direct !== undefined)
    throw new ConfigError('DATABASE_URL is missing, but DATABASE_DIRECT_URL is set');
  if (databaseUrl === undefined && databaseReadUrl !== undefined)
    throw new ConfigError('DATABASE_URL is missing, but DATABASE_READ_URL is set');
  // The same address twice is a direct connection.
  return { databaseUrl, databaseDirectUrl: direct === databaseUrl ? undefined : direct, databaseReadUrl };
}

function readMetricsToken(read: Read): string | undefined {
  const token = read('METRICS_TOKEN');
  if (token !== undefined) checkSecret('METRICS_TOKEN', token);
  return token;
}

function readMetricsPort(read: Read, port: number): number | undefined {
  const text = read('METRICS_PORT');
  if (text === undefined) return undefined;
  const metricsPort = readCount('METRICS_PORT', text, [1, 65_535]);
  if (metricsPort === port) throw new ConfigError('METRICS_PORT must not be the same as PORT');
  return metricsPort;
}

function readRoles(text: string): ReadonlySet<Role> {
  const names = text.split(',').map((name) => name.trim());
  if (names.includes('all')) {
    if (names.length === 1) return new Set(ROLES);
    throw new ConfigError('FOREWORD_ROLE must be "all" alone, or a comma-separated list of api, worker, media');
  }
  const unknown = names.find((name) => !(ROLES as readonly string[]).includes(name));
  if (unknown !== undefined) {
    throw new ConfigError(
      `FOREWORD_ROLE must be all, or a comma-separated list of api, worker, media; "${unknown}" is not a role`,
    );
  }
  return new Set(names as Role[]);
}

/** Undefined: those of the system. */
function readDnsServers(text: string | undefined): readonly string[] | undefined {
  if (text === undefined) return undefined;
  const servers = text.split(',').map((server) => server.trim());
  try {
    new Resolver().setServers(servers);
    return servers;
  } catch {
    throw new ConfigError(
      `DNS_SERVERS must be a comma-separated list of IP addresses, each with an optional port, such as 192.0.2.53 or [2001:db8::53]:53, not "${text}"`,
    );
  }
}

function readRateLimit(text: string): RateLimit | null {
  if (text === 'off') return null;
  const [, perSecond, burst] = /^(\d{1,7})\/(\d{1,7})$/.exec(text) ?? [];
  if (Number(perSecond) >= 1 && Number(burst) >= 1) return { perSecond: Number(perSecond), burst: Number(burst) };
  throw new ConfigError(`RATE_LIMIT must be "off", or requests per second and burst such as 100/200, not "${text}"`);
}

function readSwitch(name: string, text: string): boolean {
  if (text === 'on' || text === 'off') return text === 'on';
  throw new ConfigError(`${name} must be on or off, not "${text}"`);
}

function readLogLevel(text: string): LogLevel {
  const level = LOG_LEVELS.find((name) => name === text);
  if (level === undefined) throw new ConfigError(`LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}, not "${text}"`);
  return level;
}

const OIDC_FORM = 'https://CLIENT_ID:CLIENT_SECRET@host, with special characters percent-encoded';

/** The OpenID Connect provider for company sign-in, and the client that it knows us as. */
function readCompany(read: Read): CompanySettings | undefined {
  const text = read('OIDC_ISSUER');
  if (text === undefined) return undefined;
  const url = new URL(readUrl('OIDC_ISSUER', text, ['https:', 'http:']));
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  // Over plain HTTP, an attacker on the network could impersonate every member.
  if (url.protocol === 'http:' && !isLocal) throw new ConfigError('OIDC_ISSUER must start with https://');
  if (url.username === '' || url.password === '') throw new ConfigError(`OIDC_ISSUER must have the form ${OIDC_FORM}`);
  try {
    const [clientId, clientSecret] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
    // Not from URL, which may add a slash: providers compare their issuer letter by letter.
    return { issuer: text.replace(/\/\/[^/]*@/, '//'), clientId, clientSecret };
  } catch {
    throw new ConfigError(`OIDC_ISSUER must have the form ${OIDC_FORM}`);
  }
}

/** Commands recognize the service by its folder, to which several paths may lead, even before it exists. */
function resolveLinks(folder: string): string {
  try {
    return fs.realpathSync(folder);
  } catch {
    return path.join(resolveLinks(path.dirname(folder)), path.basename(folder));
  }
}

/** Treats empty variables as unset, because compose files and shells cannot always leave one out. */
export function readConfig(environment: Environment = process.env, chosenPort?: number) {
  refuseReplaced(environment);
  const read: Read = (name) => environment[name] || undefined;
  const port = chosenPort ?? readPort(read('PORT') ?? '3000');
  const host = read('HOST') ?? '127.0.0.1';
  const givenUrl = read('PUBLIC_URL');
  const publicUrl = givenUrl === undefined ? readListeningUrl(host, port) : readPublicUrl(givenUrl);
  const carriers = readCarriers(read);
  requireRealAddress(givenUrl, carriers);
  const dataDir = resolveLinks(path.resolve(read('DATA_DIR') ?? './data'));
  return {
    /** 0: a free port, chosen at each start. */
    port,
    host,
    dataDir,
    publicUrl,
    /** Proxies whose `X-Forwarded-For` is believed. */
    ...readProxies(read('TRUSTED_PROXIES') ?? 'private'),
    /** PUBLIC_URL is set, so publicUrl is not derived from host and port. */
    hasPublicUrl: givenUrl !== undefined,
    ...readServerKeys(read),
    ...readObjectsLocation(read('OBJECTS_URL') ?? pathToFileURL(path.join(dataDir, 'objects')).href),
    /** Undefined: ffmpeg from PATH, otherwise the npm package. */
    ffmpegPath: read('FFMPEG_PATH'),
    /** Isolates the processes that open takes and pictures, as far as this machine allows. */
    isolateMedia: readSwitch('MEDIA_ISOLATION', read('MEDIA_ISOLATION') ?? 'on'),
    maxUploadBytes: readCount('UPLOAD_MAX_MB', read('UPLOAD_MAX_MB') ?? '100', [1, 2000]) * BYTES_PER_MB,
    /** The limit of one organization in 24 hours. */
    maxDailyUploadBytes: readCount('UPLOADS_DAILY_GB', read('UPLOADS_DAILY_GB') ?? '50', [1, 100_000]) * BYTES_PER_GB,
    originalsDays: readCount('ORIGINALS_DAYS', read('ORIGINALS_DAYS') ?? '7', [0, 3650]),
    ...readDatabaseUrls(read),
    carriers,
    /** Undefined: members sign in by email only. */
    company: readCompany(read),
    roles: readRoles(read('FOREWORD_ROLE') ?? 'all'),
    /** The name of this installation, if it is one of several behind one address. Its keys start with it. */
    cell: readCell(read('FOREWORD_CELL')),
    /** Allows webhooks to this machine and to private networks, for development. */
    webhooksAllowPrivate: readSwitch('WEBHOOKS_ALLOW_PRIVATE', read('WEBHOOKS_ALLOW_PRIVATE') ?? 'off'),
    /** Name servers for webhooks and link domains; undefined: those of the system. */
    dnsServers: readDnsServers(read('DNS_SERVERS')),
    rateLimit: readRateLimit(read('RATE_LIMIT') ?? '100/200'),
    // Its key would end up in a log.
    demo: readSwitch('FOREWORD_DEMO', read('FOREWORD_DEMO') ?? (environment.NODE_ENV === 'production' ? 'off' : 'on')),
    /** Serves the docs site where it is built. */
    docsSite: readSwitch('DOCS_SITE', read('DOCS_SITE') ?? 'on'),
    /** Readers of the metrics have to send it. */
    metricsToken: readMetricsToken(read),
    /** A port of its own for the metrics, on `host`. Undefined: they are on `port`. */
    metricsPort: readMetricsPort(read, port),
    /** A collector of OpenTelemetry. Undefined: nothing is sent. */
    otlp: readOtlp(read),
    logLevel: readLogLevel(read('LOG_LEVEL') ?? 'info'),
  };
}

export type Config = Readonly<ReturnType<typeof readConfig>>;

/** Settings of `foreword mcp`, which programs start on other machines, too. Without a URL: the service that runs on this machine. */
export function readAgentSettings(environment: Environment = process.env) {
  const url = environment.FOREWORD_URL || undefined;
  return {
    url: url === undefined ? undefined : readUrl('FOREWORD_URL', url, ['http:', 'https:']).replace(/\/+$/, ''),
    apiKey: environment.FOREWORD_API_KEY || undefined,
  };
}
