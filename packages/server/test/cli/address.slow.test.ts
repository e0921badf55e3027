import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { eventually } from '../acceptance/support/actions.ts';
import {
  collectText,
  createTestDatabase,
  createTestOrganization,
  forFile,
  type Service,
  startService,
  tryForeword,
} from '../harness/index.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';

const MAIN = path.join(import.meta.dirname, '../../src/main.ts');
const dataDir = path.join(temporaryFolder(), 'data');
const file = path.join(dataDir, 'service.json');
const running: Service[] = [];

async function start(settings: Record<string, string> = {}): Promise<Service> {
  const service = await startService({ ...environment, FOREWORD_DEMO: 'off', ...settings });
  running.push(service);
  await eventually(async () => fs.existsSync(file), Boolean);
  return service;
}

/** Where the sign-in link of a command leads. */
async function originOf(settings: Record<string, string> = {}): Promise<string> {
  const { code, stdout, stderr } = await tryForeword({ ...environment, ...settings }, 'signin', '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout).url.replace(/\/console\/signin\/.*/, '');
}

const database = await forFile(createTestDatabase(), (opened) => opened.drop());
const environment = { DATABASE_URL: database.url, DATA_DIR: dataDir };
await createTestOrganization(environment, '');

afterEach(async () => {
  for (const service of running.splice(0)) await service.stop();
});

const SETTINGS = { RATE_LIMIT: '7/9', UPLOAD_MAX_MB: '42', METRICS_TOKEN: 'a-token-of-the-metrics' };

const doctor = async (settings: Record<string, string> = {}) =>
  JSON.parse((await tryForeword({ ...environment, ...settings }, 'doctor', '--json')).stdout);

test('links start with the address of the running service, until it stops and removes it', async () => {
  const service = await start();
  expect(await originOf()).toBe(service.url);
  // Whatever the PORT of the command.
  expect(await originOf({ PORT: '3999' })).toBe(service.url);
  const { checks } = await doctor({ PORT: '3999' });
  expect(checks).toContainEqual(
    expect.objectContaining({ name: 'service', status: 'ok', message: expect.stringContaining(service.url) }),
  );
  expect(checks).toContainEqual(
    expect.objectContaining({ name: 'metrics', status: 'note', message: expect.stringContaining('/metrics is open') }),
  );
  // A process without the role api does not offer its address.
  running.push(await startService({ ...environment, FOREWORD_DEMO: 'off', FOREWORD_ROLE: 'worker' }));
  expect(await originOf()).toBe(service.url);
  // The service is of another database in the same folder.
  const another = await createTestDatabase();
  await createTestOrganization({ DATABASE_URL: another.url }, '');
  expect(await originOf({ DATABASE_URL: another.url })).toBe('http://127.0.0.1:3000');
  await another.drop();
  await service.stop();
  expect(fs.existsSync(file)).toBe(false);
  expect(await originOf()).toBe('http://127.0.0.1:3000');
  expect(await originOf({ HOST: '::1', PORT: '3999' })).toBe('http://[::1]:3999');
});

test('the address that a killed service left is ignored, even if another program took its port, and the next service replaces it', async () => {
  const killed = await start();
  await killed.kill();
  expect(fs.existsSync(file)).toBe(true);
  expect(await originOf()).toBe('http://127.0.0.1:3000');
  const other = http.createServer((_request, response) => response.end('{"status":"ok"}'));
  other.listen(Number(new URL(killed.url).port), '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  expect((other.address() as AddressInfo).port).toBe(Number(new URL(killed.url).port));
  expect(await originOf()).toBe('http://127.0.0.1:3000');
  other.close();
  other.closeAllConnections();
  const next = await start(SETTINGS);
  await eventually(originOf, (origin) => origin === next.url);
  // Doctor shows its settings, without its secrets.
  const { configuration, checks } = await doctor();
  const { METRICS_TOKEN: token, ...shown } = SETTINGS;
  expect(configuration).toMatchObject({ ...shown, UPLOAD_MAX_MB: 42, METRICS_TOKEN: 'set', PUBLIC_URL: next.url });
  expect(JSON.stringify({ configuration, checks }) + fs.readFileSync(file, 'utf8')).not.toContain(token);
  expect(checks).toContainEqual(
    expect.objectContaining({
      ...{ name: 'settings', status: 'note' },
      message: expect.stringMatching(/which differ in PORT, PUBLIC_URL, UPLOAD_MAX_MB, RATE_LIMIT, .*METRICS_TOKEN\.$/),
    }),
  );
  expect(checks).toContainEqual(expect.objectContaining({ name: 'metrics', status: 'ok' }));
  const same = await doctor({ ...SETTINGS, FOREWORD_DEMO: 'off', PORT: new URL(next.url).port });
  expect(same.checks).toContainEqual(expect.objectContaining({ name: 'settings', status: 'ok' }));
});

test('a PUBLIC_URL wins: the one of the command, otherwise the one of the service', async () => {
  await start({ PUBLIC_URL: 'https://intros.acme.example' });
  expect(await originOf()).toBe('https://intros.acme.example');
  expect(await originOf({ PUBLIC_URL: 'https://other.example/' })).toBe('https://other.example');
});

test('an unreadable file is ignored', async () => {
  for (const content of ['', '{', 'null', '{"url":1}', '[]']) {
    fs.writeFileSync(file, content);
    expect(await originOf()).toBe('http://127.0.0.1:3000');
  }
  fs.rmSync(file);
});

test('a service that cannot write its address runs all the same', async () => {
  // No folder can be created below a file.
  const service = await startService({ ...environment, FOREWORD_DEMO: 'off', DATA_DIR: '/proc/version/data' });
  await eventually(() => service.output().includes('cannot write service.json'));
  expect(await service.stop()).toBe(0);
});

test('PORT=0 listens on a free port, and only then do links have an address', async () => {
  const settings = { ...environment, PORT: '0' };
  const before = await tryForeword(settings, 'signin', '--json');
  expect(before).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('PORT is 0') });
  const child: ChildProcess = spawn(process.execPath, [MAIN], {
    env: { PATH: process.env.PATH ?? '', SERVER_KEY: '5e'.repeat(32), FOREWORD_DEMO: 'off', ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const output = collectText(child.stdout);
  const exited = new Promise((resolve) => child.once('exit', resolve));
  await eventually(output, (written) => written.includes('running at'), 30_000);
  const [, url = ''] = /running at (http:\/\/127\.0\.0\.1:[1-9]\d+)\. /.exec(output()) ?? [];
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  expect(await originOf({ PORT: '0' })).toBe(url);
  child.kill('SIGTERM');
  expect(await exited).toBe(0);
});
