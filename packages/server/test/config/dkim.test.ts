import { generateKeyPairSync } from 'node:crypto';
import { statSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ConfigError, readConfig } from '../../src/app/config/index.ts';
import { dkimRecordValue, generateDkimKey } from '../../src/platform/dkim.ts';
import { runForeword, tryForeword } from '../harness/index.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';

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

test('foreword email dkim writes a key that the service accepts, prints its record, and replaces no file', async () => {
  const environment = { DATA_DIR: folder };
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
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const settings = { ...MAIL, DKIM_SELECTOR: shown.record_name ?? '', DKIM_PRIVATE_KEY: file };
  const dkim = readConfig(settings).carriers.mail?.dkim;
  expect(dkim).toMatchObject({ domain: 'acme.example', selector: 'foreword' });
  expect(dkimRecordValue(dkim?.privateKey ?? '')).toBe(shown.record_value);
  const again = await tryForeword(environment, 'email', 'dkim', '--domain', 'acme.example');
  expect([again.code, again.stderr.includes('exists')]).toEqual([1, true]);
  expect((await tryForeword(environment, 'email', 'dkim')).code).toBe(2);
});
