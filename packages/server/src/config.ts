import path from 'node:path';
import type { RateLimit } from './access/index.ts';
import type { LogLevel } from './platform/log.ts';

export const ROLES = ['api', 'worker', 'media'] as const;
export type Role = (typeof ROLES)[number];

export interface Config {
  readonly port: number;
  readonly host: string;
  readonly dataDir: string;
  readonly publicUrl: string;
  /** Undefined: the embedded PostgreSQL in dataDir. */
  readonly databaseUrl: string | undefined;
  readonly roles: ReadonlySet<Role>;
  readonly rateLimit: RateLimit | null;
  readonly demo: boolean;
  readonly logLevel: LogLevel;
}

/** Says which variable is wrong and what it may be. */
export class ConfigError extends Error {}

type Environment = Readonly<Record<string, string | undefined>>;

const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;

function readPort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port < 1 || port > 65_535)
    throw new ConfigError(`PORT must be a number from 1 to 65535, not "${text}"`);
  return port;
}

function readUrl(name: string, text: string, schemes: readonly string[]): string {
  const url = URL.parse(text);
  if (url === null || !schemes.includes(url.protocol)) {
    // Not the value itself: an address may hold a password.
    throw new ConfigError(`${name} must be an address that begins with ${schemes.map((s) => `${s}//`).join(' or ')}`);
  }
  return text;
}

function readPublicUrl(text: string): string {
  const url = new URL(readUrl('PUBLIC_URL', text, ['http:', 'https:']));
  if (url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') {
    throw new ConfigError('PUBLIC_URL must be a plain address, such as https://intros.example.com');
  }
  return text.replace(/\/+$/, '');
}

function readRoles(text: string): ReadonlySet<Role> {
  const names = text.split(',').map((name) => name.trim());
  if (names.includes('all')) {
    if (names.length === 1) return new Set(ROLES);
    throw new ConfigError('FOREWORD_ROLE must be "all" alone, or some of api, worker, media separated by commas');
  }
  const unknown = names.find((name) => !(ROLES as readonly string[]).includes(name));
  if (unknown !== undefined) {
    throw new ConfigError(
      `FOREWORD_ROLE must be all, or some of api, worker, media separated by commas; "${unknown}" is none`,
    );
  }
  return new Set(names as Role[]);
}

function readRateLimit(text: string): RateLimit | null {
  if (text === 'off') return null;
  const [, perSecond, burst] = /^(\d{1,7})\/(\d{1,7})$/.exec(text) ?? [];
  if (Number(perSecond) >= 1 && Number(burst) >= 1) return { perSecond: Number(perSecond), burst: Number(burst) };
  throw new ConfigError(`RATE_LIMIT must be "off", or requests a second and burst such as 100/200, not "${text}"`);
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

/** An empty variable counts as unset: that is how compose files and shells leave one out. */
export function readConfig(environment: Environment = process.env): Config {
  const read = (name: string) => environment[name] || undefined;
  const port = readPort(read('PORT') ?? '3000');
  const host = read('HOST') ?? '127.0.0.1';
  const databaseUrl = read('DATABASE_URL');
  return {
    port,
    host,
    dataDir: path.resolve(read('DATA_DIR') ?? './data'),
    publicUrl: readPublicUrl(read('PUBLIC_URL') ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`),
    databaseUrl:
      databaseUrl === undefined ? undefined : readUrl('DATABASE_URL', databaseUrl, ['postgres:', 'postgresql:']),
    roles: readRoles(read('FOREWORD_ROLE') ?? 'all'),
    rateLimit: readRateLimit(read('RATE_LIMIT') ?? '100/200'),
    demo: readSwitch('FOREWORD_DEMO', read('FOREWORD_DEMO') ?? 'on'),
    logLevel: readLogLevel(read('LOG_LEVEL') ?? 'info'),
  };
}
