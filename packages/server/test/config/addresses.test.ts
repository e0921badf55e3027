import { existsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/app/config/index.ts';
import { ConfigError } from '../../src/platform/process.ts';
import { startService, tryForeword } from '../harness/index.ts';

const publicUrl = (environment: Record<string, string>) => readConfig(environment).publicUrl;

test.each(['0.0.0.0', '0', '0x0', '::', '::0', '0:0:0:0:0:0:0:0', '::ffff:0.0.0.0'])(
  'HOST=%s needs a PUBLIC_URL',
  (host) => {
    expect(() => publicUrl({ HOST: host })).toThrow(ConfigError);
    expect(() => publicUrl({ HOST: host })).toThrow(
      `PUBLIC_URL is missing: with HOST=${host}, set it to the address from outside, such as https://intros.example.com`,
    );
    expect(publicUrl({ HOST: host, PUBLIC_URL: 'https://intros.example.com/' })).toBe('https://intros.example.com');
  },
);

test.each([
  'http://0.0.0.0:3000',
  'http://0',
  'https://0x0/',
  'http://00.0',
  'http://0.0.0.0.',
  'http://[::]:3000',
  'http://[::0]',
  'http://[0:0:0:0:0:0:0:0]',
  'http://[::ffff:0.0.0.0]',
])('refuses PUBLIC_URL=%s, because no link to it can be opened', (url) => {
  expect(() => publicUrl({ PUBLIC_URL: url })).toThrow(ConfigError);
  expect(() => publicUrl({ PUBLIC_URL: url })).toThrow('PUBLIC_URL must have a host that others can open');
});

test.each([' https://intros.example.com\n', 'https://intros.example.com/?', 'https://Intros.example.com:443/#'])(
  'links do not contain what is not part of the address in %j',
  (url) => expect(publicUrl({ PUBLIC_URL: url })).toBe('https://intros.example.com'),
);

test('without PUBLIC_URL, links have the address that the service listens on', () => {
  expect(publicUrl({})).toBe('http://127.0.0.1:3000');
  expect(publicUrl({ HOST: '::1', PORT: '4200' })).toBe('http://[::1]:4200');
  expect(publicUrl({ HOST: 'intros.internal' })).toBe('http://intros.internal:3000');
});

const TWILIO = {
  SMS_CARRIER: 'twilio',
  TWILIO_ACCOUNT_SID: 'AC1',
  TWILIO_AUTH_TOKEN: 'x',
  TWILIO_FROM: '+15005550100',
};
const LOCAL = { TWILIO_API_URL: 'http://127.0.0.1:1' };
const http = (url: string) => ({ SMS_CARRIER: 'http', SMS_HTTP_URL: url, SMS_HTTP_SECRET: `whsec_${'A'.repeat(32)}` });
const TELNYX = { TELNYX_API_KEY: 'K', TELNYX_PUBLIC_KEY: `${'A'.repeat(43)}=`, TELNYX_FROM: '+15005550101' };
const mail = (url: string) => ({ SMTP_URL: url, MAIL_FROM: 'intros@acme.example' });

describe.each<[string, Record<string, string>]>([
  ['SMS_CARRIER=twilio', TWILIO],
  ['SMS_CARRIER=telnyx', { ...TELNYX, SMS_CARRIER: 'telnyx' }],
  ['SMS_CARRIER=http', http('https://texts.acme.example')],
  ['SMS_CARRIER=http', http('http://10.0.0.7:8080')],
  ['SMS_CARRIER_FALLBACK=telnyx', { ...TWILIO, ...LOCAL, ...TELNYX, SMS_CARRIER_FALLBACK: 'telnyx' }],
  ['SMTP_URL', mail('smtp://user:secret@mail.acme.example:587')],
])('with %s on another machine', (setting, environment) => {
  test('PUBLIC_URL is required', () => {
    expect(() => publicUrl({ ...environment, HOST: '203.0.113.7' })).toThrow(
      `PUBLIC_URL is missing: with ${setting}, `,
    );
  });

  test.each([
    'http://127.0.0.1:3000',
    'http://localhost',
    'http://a.localhost.',
    'http://127.1',
    'http://[::1]:3000',
    'http://[::ffff:127.0.0.1]',
  ])('%s is refused, because real people cannot open it', (url) => {
    const read = () => publicUrl({ ...environment, PUBLIC_URL: url });
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(`PUBLIC_URL leads to this machine: with ${setting}, `);
  });

  test('an address that people can open is accepted', () => {
    expect(publicUrl({ ...environment, PUBLIC_URL: 'https://intros.acme.example' })).toContain('intros');
  });
});

test.each([{ ...TWILIO, ...LOCAL }, http('http://localhost:8080'), mail('smtp://[::1]:25')])(
  'with a carrier or a mail server on this machine, links may lead to it: %j',
  (environment) => {
    expect(publicUrl(environment)).toBe('http://127.0.0.1:3000');
  },
);

const DATA_DIR = path.join(os.tmpdir(), `foreword-test-unspecified-${process.pid}`);

test.each<[Record<string, string>, string]>([
  [{ HOST: '0.0.0.0' }, 'PUBLIC_URL is missing: with HOST=0.0.0.0'],
  [mail('smtp://mail.acme.example'), 'PUBLIC_URL is missing: with SMTP_URL'],
])('with %j the service exits with one line before it creates anything, and doctor reports it', async (given, line) => {
  const environment = { ...given, DATA_DIR };
  await expect(startService(environment)).rejects.toThrow(
    new RegExp(`^the service exited at startup: foreword: ${line}[^\\n]*\\n$`),
  );
  expect(existsSync(DATA_DIR)).toBe(false);
  const { code, stdout } = await tryForeword(environment, 'doctor', '--json');
  expect(code).toBe(78);
  expect(JSON.parse(stdout).checks).toContainEqual(
    expect.objectContaining({ name: 'configuration', status: 'problem', message: expect.stringContaining(line) }),
  );
});

const HOST = 'db.example:5432/foreword';
const read = (environment: Record<string, string>) => readConfig({ DATA_DIR: '/nowhere', ...environment });
const errorOf = (environment: Record<string, string>): string => {
  try {
    read(environment);
  } catch (error) {
    return (error as Error).message;
  }
  return 'valid';
};

describe('the address of a database', () => {
  test.each(['hunter#2', 'hunter/2', 'hunter?2', '12#2', '12/2', '12?2', 'hunter%ff2'])(
    'with the raw password %s is rejected: the message names the variable and the encoding, not the password',
    (password) => {
      for (const name of ['DATABASE_URL', 'DATABASE_DIRECT_URL', 'DATABASE_READ_URL']) {
        const message = errorOf({ DATABASE_URL: `postgres://${HOST}`, [name]: `postgres://app:${password}@${HOST}` });
        expect(message).toMatch(new RegExp(`^${name} is not a valid URL: percent-encode .*# is %23`));
        expect(message).not.toContain(password);
      }
    },
  );

  test('may have every special character in the password, percent-encoded', () => {
    const url = `postgres://app:${encodeURIComponent('a#b/c?d@e%f:g h&i=j+k\\l"m')}@${HOST}`;
    expect(read({ DATABASE_URL: url }).databaseUrl).toBe(url);
  });

  test.each([`mysql://app@${HOST}`, 'postgres://app@host:x/foreword', 'localhost'])('%s is rejected', (url) => {
    expect(errorOf({ DATABASE_URL: url })).toMatch(/^DATABASE_URL (must be a URL that starts with|is not a valid URL)/);
  });

  test('may be a folder with a socket', () => {
    const url = 'postgresql:///foreword?host=%2Frun%2Fpostgresql&user=app';
    expect(read({ DATABASE_URL: url }).databaseUrl).toBe(url);
  });

  test.each(['DATABASE_DIRECT_URL', 'DATABASE_READ_URL'])('of %s alone is rejected', (name) => {
    expect(errorOf({ [name]: `postgres://${HOST}` })).toBe(`DATABASE_URL is missing, but ${name} is set`);
  });

  test('that is given twice is a direct one', () => {
    const url = `postgres://${HOST}`;
    expect(read({ DATABASE_URL: url, DATABASE_DIRECT_URL: url })).toMatchObject({
      databaseUrl: url,
      databaseDirectUrl: undefined,
    });
  });
});

test('an authority that cannot be read is named', () => {
  expect(errorOf({ DATABASE_URL: `postgres://app@${HOST}?sslmode=verify-full&sslrootcert=/nowhere/ca.pem` })).toBe(
    'DATABASE_URL: cannot read /nowhere/ca.pem: ENOENT',
  );
});
