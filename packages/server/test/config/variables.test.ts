import { readFileSync } from 'node:fs';
import path from 'node:path';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { ConfigError, readConfig } from '../../src/app/config/index.ts';
import { findIneffective, VARIABLES } from '../../src/app/config/variables.ts';

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

/** The names in the table of the README under the heading "Settings". */
function namesInReadme(): string[] {
  const [, section = ''] = readText('README.md').split(/^## Settings$/m);
  return rowsOf(section.split(/^## /m)[0] ?? '').flatMap(({ names }) => names);
}

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

test('the README names only variables that the service reads', () => {
  const documented = namesInReadme();
  expect(documented).toContain('PUBLIC_URL');
  expect(documented.filter((name) => !(VARIABLES as readonly string[]).includes(name))).toEqual([]);
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
