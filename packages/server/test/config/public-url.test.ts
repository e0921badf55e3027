import { existsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ConfigError, readConfig } from '../../src/config.ts';
import { startService, tryForeword } from '../harness/index.ts';

const publicUrl = (environment: Record<string, string>) => readConfig(environment).publicUrl;

test.each(['0.0.0.0', '0', '0x0', '::', '::0', '0:0:0:0:0:0:0:0', '::ffff:0.0.0.0'])(
  'refuses HOST=%s without PUBLIC_URL, because links would contain it',
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

test('without PUBLIC_URL, links have the address that the service listens on', () => {
  expect(publicUrl({})).toBe('http://127.0.0.1:3000');
  expect(publicUrl({ HOST: '::1', PORT: '4200' })).toBe('http://[::1]:4200');
  expect(publicUrl({ HOST: 'intros.internal' })).toBe('http://intros.internal:3000');
});

const DATA_DIR = path.join(os.tmpdir(), `foreword-test-unspecified-${process.pid}`);
const LINE = 'PUBLIC_URL is missing: with HOST=0.0.0.0';

test('the service says so in one line and exits before it creates anything', async () => {
  await expect(startService({ HOST: '0.0.0.0', DATA_DIR })).rejects.toThrow(
    new RegExp(`^the service exited at startup: foreword: ${LINE}[^\\n]*\\n$`),
  );
  expect(existsSync(DATA_DIR)).toBe(false);
});

test('doctor reports it', async () => {
  const { code, stdout } = await tryForeword({ HOST: '0.0.0.0', DATA_DIR }, 'doctor', '--json');
  expect(code).toBe(78);
  expect(JSON.parse(stdout).checks).toContainEqual(
    expect.objectContaining({ name: 'configuration', status: 'problem', message: expect.stringContaining(LINE) }),
  );
});
