import { generateKeyPairSync } from 'node:crypto';
import { chownSync, readFileSync, realpathSync, statSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '../../src/app/config/index.ts';
import { findIneffective, VARIABLES } from '../../src/app/config/variables.ts';
import { dkimRecordValue, generateDkimKey } from '../../src/platform/dkim.ts';
import { ConfigError } from '../../src/platform/process.ts';
import { runForeword, tryForeword } from '../harness/index.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';

const ROOT = path.join(import.meta.dirname, '../../../..');
const readText = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

interface Row {
  readonly names: readonly string[];
  readonly secondCell: string;
}

/** The rows of the tables in a text whose first column contains variables. */
const rowsOf = (text: string): Row[] =>
  text.split('\n').flatMap((line) => {
    const [, first, secondCell = ''] = /^\| (`[A-Z].*?) \| (.*?) \|/.exec(line) ?? [];
    return first === undefined
      ? []
      : [{ names: [...first.matchAll(/`(\w+)`/g)].map(([, name = '']) => name), secondCell }];
  });

const CONFIGURATION = rowsOf(readText('docs/self-hosting/configuration.md'));

/** A default such as `100/200`; undefined for one that is described, such as "unset". */
const readDefault = (cell: string): string | undefined => /^`([^`]+)`$/.exec(cell)?.[1];
/** Defaults that contain the values of other variables. */
const DERIVED = ['PUBLIC_URL', 'DATABASE_DIRECT_URL'];
const DEFAULTS = CONFIGURATION.flatMap(({ names: [name = ''], secondCell }): [string, string][] => {
  const value = readDefault(secondCell);
  return value === undefined || DERIVED.includes(name) ? [] : [[name, value]];
});

/** The variables that the image sets, as NAME=value in its ENV instructions. */
const setByImage = () =>
  [...readText('Dockerfile').matchAll(/^ENV (.*)$/gm)].flatMap(([, pairs = '']) =>
    pairs.split(/\s+/).map((pair) => pair.split('=')[0] ?? ''),
  );

interface ComposeFile {
  services: Record<string, { environment: Record<string, string> }>;
}
const SERVICES = ['api', 'worker', 'media'];
/** Not passed through: each service has its own role. */
const SET_BY_COMPOSE = ['FOREWORD_ROLE'];

test('there are at most 50 variables', () => {
  expect(VARIABLES.length).toBeLessThanOrEqual(50);
});

test('docs/self-hosting/configuration.md describes every variable that the service reads once, and no other', () => {
  expect(CONFIGURATION.flatMap(({ names }) => names).sort()).toEqual([...VARIABLES].sort());
});

test('the defaults in configuration.md are literal values for the variables that have one', () => {
  expect(DEFAULTS.map(([name]) => name)).toEqual(
    expect.arrayContaining(['PORT', 'HOST', 'TRUSTED_PROXIES', 'ORIGINALS_DAYS', 'RATE_LIMIT', 'FOREWORD_ROLE']),
  );
});

test.each(DEFAULTS)('the default of %s in configuration.md is that of the service: %s', (name, value) => {
  expect(inspect(readConfig({ [name]: value }), { depth: 5 })).toBe(inspect(readConfig({}), { depth: 5 }));
});

test('the table of settings in the README names only variables that the service reads', () => {
  const documented = rowsOf(readText('README.md')).flatMap(({ names }) => names);
  expect(documented).toContain('PUBLIC_URL');
  expect(VARIABLES).toEqual(expect.arrayContaining(documented));
});

test.each(SERVICES)('compose.yaml passes every variable to %s that the image does not set', (name) => {
  const { services } = parse(readText('compose.yaml'), { merge: true }) as ComposeFile;
  const environment = services[name]?.environment ?? {};
  const fixed = setByImage();
  expect(fixed).toContain('DATA_DIR');
  expect(Object.keys(environment).sort()).toEqual(VARIABLES.filter((variable) => !fixed.includes(variable)).sort());
  for (const [variable, value] of Object.entries(environment)) {
    if (!SET_BY_COMPOSE.includes(variable)) expect(value).toMatch(new RegExp(`^\\$\\{${variable}(:|\\})`));
  }
});

test.each(['eu-1', 'EU1', '1eu', 'toolong12'])('FOREWORD_CELL cannot be %s, which a router could not match', (name) => {
  expect(() => readConfig({ FOREWORD_CELL: name })).toThrow(
    `FOREWORD_CELL must be 1 to 8 lowercase letters and digits that start with a letter, such as eu1, not "${name}"`,
  );
});

test.each<[Record<string, string>, string[]]>([
  [{ PUBIC_URL: 'https://a.example' }, ['PUBIC_URL is not a variable of Foreword. Did you mean PUBLIC_URL?']],
  [{ DATABASE_ULR: 'postgres://a:secret@b/c' }, [expect.stringMatching(/^DATABASE_ULR .* DATABASE_URL\?$/)]],
  [{ SMTP_URI: 'smtp://a', PORTS: '80' }, [expect.stringContaining('SMTP_URL?'), expect.stringContaining('PORT?')]],
  [{ PROT: '80', port: '80' }, ['PROT', 'port'].map((name) => expect.stringMatching(`^${name} is not .* PORT\\?$`))],
  [{ 'data-dir': '/data' }, ['data-dir is not a variable of Foreword. Did you mean DATA_DIR?']],
  [{ TWILIO_AUTH_TOKEN: 'secret' }, ['TWILIO_AUTH_TOKEN has no effect because SMS_CARRIER is not set.']],
  [
    { TELNYX_API_KEY: 'x', TWILIO_API_URL: 'https://a.example' },
    [expect.stringContaining('TELNYX_API_KEY has no effect')],
  ],
  [{ TELNYX_API_KEY: 'x', SMS_CARRIER: 'telnyx' }, []],
  [
    {
      HOME: '/',
      HOSTNAME: 'a',
      POSTGRES_PASSWORD: 'x',
      FOREWORD_URL: 'x',
      OTEL_BLRP_SCHEDULE_DELAY: '1',
      PUBIC_URL: '',
    },
    [],
  ],
])('says which variables have no effect, and not their values: %j', (environment, lines) => {
  expect(findIneffective(environment)).toEqual(lines);
  expect(findIneffective(environment).join()).not.toContain('secret');
});

test.each<[Record<string, string>, string]>([
  [{ PGSSLMODE: 'require' }, 'PGSSLMODE is no longer a variable of Foreword: give it as an option of DATABASE_URL'],
  [
    { S3_SECRET_ACCESS_KEY: 'secret' },
    'S3_SECRET_ACCESS_KEY is no longer a variable of Foreword: put the key into OBJ',
  ],
  [
    { SERVER_KEY_PREVIOUS: 'secret' },
    'SERVER_KEY_PREVIOUS is no longer a variable of Foreword: add the previous key to',
  ],
])('a replaced variable stops the start, and its successor is named: %j', (environment, message) => {
  expect(() => readConfig(environment)).toThrow(ConfigError);
  expect(() => readConfig(environment)).toThrow(message);
  expect(() => readConfig(environment)).not.toThrow(/secret$/);
});

test.each(['PORT', 'RATE_LIMIT', 'FOREWORD_ROLE'])(
  'an invalid %s is explained in one line, whatever its value',
  (name) => {
    const read = () => readConfig({ [name]: 'a\n  b' });
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(new RegExp(`^${name} .*"a b"[^\n]*$`));
  },
);

test('SERVER_KEY may end with previous keys', () => {
  const [current, previous] = ['5e'.repeat(32), '6f'.repeat(32)];
  const config = readConfig({ SERVER_KEY: `${current}, ${previous}` });
  expect([config.serverKey, ...config.previousServerKeys].map((key) => key?.toString('hex'))).toEqual([
    current,
    previous,
  ]);
  expect(() => readConfig({ SERVER_KEY: `${current},secret` })).toThrow('SERVER_KEY must be 64 hexadecimal digits');
});

test('SMTP_URL and OIDC_ISSUER carry what belongs to them', () => {
  const mail = { SMTP_URL: 'smtp://a:b@mail.example:587?bounces_to=b@acme.example&bounce_secret=a-long-bounce-secret' };
  const set = { ...mail, MAIL_FROM: 'intros@acme.example', PUBLIC_URL: 'https://intros.acme.example' };
  expect(readConfig(set).carriers.mail).toMatchObject({
    url: 'smtp://a:b@mail.example:587',
    bouncesTo: 'b@acme.example',
    bounceSecret: 'a-long-bounce-secret',
  });
  expect(() => readConfig({ ...set, SMTP_URL: 'smtp://mail.example?bounce_secret=short' })).toThrow(
    'bounce_secret in SMTP_URL must be at least 16 letters',
  );
  expect(readConfig({ OIDC_ISSUER: 'https://me%40acme:s%2Fcret@login.example/acme' }).company).toEqual({
    issuer: 'https://login.example/acme',
    clientId: 'me@acme',
    clientSecret: 's/cret',
  });
  expect(() => readConfig({ OIDC_ISSUER: 'https://login.example' })).toThrow('OIDC_ISSUER must have the form');
});

test.each<[Record<string, string>, boolean]>([
  [{}, true],
  [{ NODE_ENV: 'development' }, true],
  [{ NODE_ENV: 'production' }, false],
  [{ NODE_ENV: 'production', FOREWORD_DEMO: '' }, false],
  [{ NODE_ENV: 'production', FOREWORD_DEMO: 'on' }, true],
  [{ FOREWORD_DEMO: 'off' }, false],
])('%j creates a demo organization: %s', (environment, demo) => {
  expect(readConfig(environment).demo).toBe(demo);
});

test('the image is for production, so it creates no demo organization', () => {
  expect(readText('Dockerfile')).toMatch(/^ENV NODE_ENV=production /m);
});

test('no variable of the service looks like a mistake in another one', () => {
  const all = Object.fromEntries(VARIABLES.map((name) => [name, 'x']));
  expect(findIneffective(all)).toEqual([]);
});

const TWILIO = { TWILIO_ACCOUNT_SID: 'AC1', TWILIO_AUTH_TOKEN: 'x', TWILIO_FROM: '+15005550100' };
const PUBLIC_URL = 'https://intros.acme.example';
const PUBLIC_KEY = Buffer.alloc(32, 7).toString('base64');
const TELNYX = { TELNYX_API_KEY: 'KEY1', TELNYX_PUBLIC_KEY: PUBLIC_KEY, TELNYX_FROM: '+15005550101' };

test('the second carrier has settings of its own', () => {
  const environment = { SMS_CARRIER: 'twilio', SMS_CARRIER_FALLBACK: 'telnyx', ...TWILIO, ...TELNYX, PUBLIC_URL };
  const { text, fallback } = readConfig(environment).carriers;
  expect(text).toMatchObject({ carrier: 'twilio', account: { sender: { from: '+15005550100' } } });
  expect(fallback).toEqual({
    carrier: 'telnyx',
    account: {
      apiKey: 'KEY1',
      publicKey: PUBLIC_KEY,
      sender: { from: '+15005550101' },
      apiUrl: 'https://api.telnyx.com',
    },
  });
});

test('a messaging profile replaces the number', () => {
  const profile = { SMS_CARRIER: 'telnyx', ...TELNYX, TELNYX_MESSAGING_PROFILE_ID: 'a profile', PUBLIC_URL };
  expect(readConfig(profile).carriers.text).toMatchObject({ account: { sender: { messagingProfileId: 'a profile' } } });
});

test('the price of a segment is a setting', () => {
  expect(readConfig({ SMS_SEGMENT_PRICE: '0.0083 USD' }).carriers.segmentPrice).toEqual({
    amount: 0.0083,
    currency: 'USD',
  });
});

test.each([
  [{ SMS_SEGMENT_PRICE: '0.0083' }, 'SMS_SEGMENT_PRICE must be'],
  [{ SMS_SEGMENT_PRICE: '1 XYZ' }, 'SMS_SEGMENT_PRICE must be'],
  [{ HOST: 'my host' }, 'HOST must be an address or a name of this machine, not "my host"'],
  [{ SMS_CARRIER: 'pigeon' }, 'SMS_CARRIER must be log, twilio, telnyx or http, not "pigeon"'],
  [{ SMS_CARRIER: 'twilio' }, 'TWILIO_ACCOUNT_SID is missing'],
  [{ SMS_CARRIER: 'twilio', ...TWILIO, TWILIO_FROM: undefined }, 'TWILIO_FROM'],
  [{ SMS_CARRIER: 'http', SMS_HTTP_URL: 'http://127.0.0.1:1', SMS_HTTP_SECRET: 'short' }, 'SMS_HTTP_SECRET must be'],
  [{ SMTP_URL: 'smtp://127.0.0.1' }, 'MAIL_FROM is missing'],
  [{ SMTP_URL: 'http://127.0.0.1', MAIL_FROM: 'a@b.example' }, 'SMTP_URL must be'],
  [{ SMTP_URL: 'smtp://', MAIL_FROM: 'a@b.example' }, 'SMTP_URL is not a valid URL: check its host and port'],
  [{ SMTP_URL: 'smtps://a.example:99999', MAIL_FROM: 'a@b.example' }, 'SMTP_URL is not a valid URL'],
  [{ SMS_CARRIER: 'telnyx' }, 'TELNYX_API_KEY is missing'],
  [{ SMS_CARRIER: 'telnyx', ...TELNYX, TELNYX_FROM: undefined }, 'TELNYX_FROM is missing'],
  [{ SMS_CARRIER: 'telnyx', ...TELNYX, TELNYX_PUBLIC_KEY: 'short' }, 'TELNYX_PUBLIC_KEY must be'],
  [{ SMS_CARRIER_FALLBACK: 'twilio', ...TWILIO }, 'SMS_CARRIER_FALLBACK needs SMS_CARRIER'],
  [{ SMS_CARRIER: 'twilio', SMS_CARRIER_FALLBACK: 'twilio', ...TWILIO }, 'must be another carrier'],
  [{ SMS_CARRIER: 'twilio', SMS_CARRIER_FALLBACK: 'log', ...TWILIO }, 'SMS_CARRIER_FALLBACK must be twilio, telnyx'],
  [{ SMS_CARRIER: 'twilio', SMS_CARRIER_FALLBACK: 'telnyx', ...TWILIO }, 'TELNYX_API_KEY is missing'],
])('rejects %j', (environment, message) => {
  expect(() => readConfig(environment)).toThrow(message);
});

const folder = temporaryFolder();

const MAIL = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'intros@Acme.example' };
const KEY = generateDkimKey();
const pem = (pair: { privateKey: import('node:crypto').KeyObject }) =>
  pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const SHORT = pem(generateKeyPairSync('rsa', { modulusLength: 512 }));
const ED25519 = pem(generateKeyPairSync('ed25519'));

test.each<[Record<string, string>, string]>([
  [{ DKIM_SELECTOR: 'k1' }, 'DKIM_PRIVATE_KEY is missing: DKIM_SELECTOR requires it'],
  [{ DKIM_PRIVATE_KEY: KEY }, 'DKIM_SELECTOR is missing: DKIM_PRIVATE_KEY requires it'],
  [{ DKIM_PRIVATE_KEY: KEY, DKIM_SELECTOR: 'k 1' }, 'DKIM_SELECTOR must be'],
  [{ DKIM_PRIVATE_KEY: KEY, DKIM_SELECTOR: 'k1._domainkey.acme' }, 'DKIM_SELECTOR must be'],
  [{ DKIM_PRIVATE_KEY: 'secret', DKIM_SELECTOR: 'k1' }, 'DKIM_PRIVATE_KEY must be a private key in PEM'],
  [{ DKIM_PRIVATE_KEY: SHORT, DKIM_SELECTOR: 'k1' }, 'DKIM_PRIVATE_KEY must have at least 1024 bits, not 512'],
  [{ DKIM_PRIVATE_KEY: ED25519, DKIM_SELECTOR: 'k1' }, 'DKIM_PRIVATE_KEY must be an RSA key'],
  [{ DKIM_PRIVATE_KEY: '/nowhere', DKIM_SELECTOR: 'k1' }, 'DKIM_PRIVATE_KEY must be a readable file (ENOENT)'],
])('invalid signing settings stop the service with one line: %#', (given, message) => {
  const read = () => readConfig({ ...MAIL, ...given });
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(message);
  expect(read).not.toThrow(/secret|BEGIN/);
});

test('all paths to a folder are the same DATA_DIR, even before it exists', () => {
  const link = path.join(folder, 'link');
  symlinkSync(folder, link);
  for (const name of ['.', 'new/data']) {
    expect(readConfig({ DATA_DIR: path.join(link, name) }).dataDir).toBe(path.join(realpathSync(folder), name));
  }
});

test('foreword email dkim writes a key that the service accepts, prints its record, and replaces no file', async () => {
  const environment = { DATA_DIR: folder };
  // Root runs the command for the service of another user.
  if (process.getuid?.() === 0) chownSync(folder, 65_534, 65_534);
  const { stdout } = await runForeword(environment, 'email', 'dkim', '--domain', 'Acme.example', '--json');
  const shown = JSON.parse(stdout) as Record<string, string>;
  const file = path.join(folder, 'dkim-foreword.pem');
  expect(shown).toMatchObject({
    object: 'dkim_key',
    private_key_file: file,
    record_name: 'foreword._domainkey.acme.example',
    record_type: 'TXT',
  });
  expect(stdout).not.toContain('PRIVATE KEY');
  expect(statSync(file)).toMatchObject({ mode: 0o100_600, uid: statSync(folder).uid });
  const settings = { ...MAIL, DKIM_SELECTOR: shown.record_name ?? '', DKIM_PRIVATE_KEY: file };
  const dkim = readConfig(settings).carriers.mail?.dkim;
  expect(dkim).toMatchObject({ domain: 'acme.example', selector: 'foreword' });
  expect(dkimRecordValue(dkim?.privateKey ?? '')).toBe(shown.record_value);
  const again = await tryForeword(environment, 'email', 'dkim', '--domain', 'acme.example');
  expect([again.code, again.stderr.includes('exists')]).toEqual([1, true]);
  expect((await tryForeword(environment, 'email', 'dkim')).code).toBe(2);
});

test('METRICS_PORT and METRICS_TOKEN are checked at the start', () => {
  expect(readConfig({ METRICS_PORT: '9464', METRICS_TOKEN: 'a-token-of-the-metrics' })).toMatchObject({
    metricsPort: 9464,
    metricsToken: 'a-token-of-the-metrics',
  });
  expect(() => readConfig({ PORT: '4000', METRICS_PORT: '4000' })).toThrow('must not be the same as PORT');
  expect(() => readConfig({ METRICS_PORT: '0' })).toThrow('METRICS_PORT must be a whole number from 1 to 65535');
  expect(() => readConfig({ METRICS_TOKEN: 'short' })).toThrow('METRICS_TOKEN must be at least 16 letters');
});

test.each([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4317', 'must be a URL that starts with http:// or https://'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'https://me:secret@collector.example', 'must be a URL without user'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'https://collector.example/?token=secret', 'must be a URL without user'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization', 'must be name=value pairs'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a b=c', 'must be name=value pairs'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a=%', 'must be name=value pairs'],
  ['OTEL_METRICS_EXPORTER', 'prometheus', 'must be otlp or none'],
  ['OTEL_TRACES_SAMPLER', 'jaeger_remote', 'must be one of always_on, parentbased_always_on, always_off'],
])('%s=%s is rejected', (name, value, problem) => {
  const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318', [name]: value };
  expect(() => readConfig(environment)).toThrow(`${name} ${problem}`);
});

test('OTEL_TRACES_SAMPLER=always_off turns traces off', () => {
  const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };
  expect(readConfig(environment).otlp?.sampler).toEqual({ followsCaller: true, ratio: 1 });
  expect(readConfig({ ...environment, OTEL_TRACES_SAMPLER: 'always_off' }).otlp?.sampler).toBeUndefined();
});
