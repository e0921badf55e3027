import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { eventually } from '../acceptance/support/actions.ts';
import {
  createTestDatabase,
  createTestOrganization,
  forFile,
  type Service,
  startService,
  tryForeword,
} from '../harness/index.ts';
import { makeDataDir } from './data-dir.ts';

const MAIN = path.join(import.meta.dirname, '../../src/main.ts');
const { dataDir, remove } = makeDataDir();
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

afterAll(remove);

test('links start with the address of the running service, whatever the PORT of the command', async () => {
  const service = await start();
  expect(await originOf()).toBe(service.url);
  expect(await originOf({ PORT: '3999' })).toBe(service.url);
  const { stdout } = await tryForeword({ ...environment, PORT: '3999' }, 'doctor', '--json');
  const { checks } = JSON.parse(stdout);
  expect(checks.find(({ name }: { name: string }) => name === 'service')).toMatchObject({
    status: 'ok',
    message: expect.stringContaining(service.url),
  });
});

test('doctor shows the settings of the running service, without its secrets', async () => {
  const token = 'a-token-of-the-metrics';
  const service = await start({ RATE_LIMIT: '7/9', UPLOAD_MAX_MB: '42', METRICS_TOKEN: token });
  const { stdout } = await tryForeword(environment, 'doctor', '--json');
  const { configuration, checks } = JSON.parse(stdout);
  expect(configuration).toMatchObject({
    ...{ RATE_LIMIT: '7/9', UPLOAD_MAX_MB: 42, METRICS_TOKEN: 'set', PUBLIC_URL: service.url },
  });
  expect(stdout + fs.readFileSync(file, 'utf8')).not.toContain(token);
  expect(checks).toContainEqual(
    expect.objectContaining({
      ...{ name: 'settings', status: 'note' },
      message: expect.stringMatching(/which differ in PORT, PUBLIC_URL, UPLOAD_MAX_MB, RATE_LIMIT, .*METRICS_TOKEN\.$/),
    }),
  );
  expect(checks).toContainEqual(expect.objectContaining({ name: 'metrics', status: 'ok' }));
  const same = await tryForeword(
    {
      ...environment,
      FOREWORD_DEMO: 'off',
      RATE_LIMIT: '7/9',
      UPLOAD_MAX_MB: '42',
      METRICS_TOKEN: token,
      PORT: new URL(service.url).port,
    },
    'doctor',
    '--json',
  );
  expect(JSON.parse(same.stdout).checks).toContainEqual(expect.objectContaining({ name: 'settings', status: 'ok' }));
});

test('doctor mentions an open /metrics', async () => {
  await start();
  const { stdout } = await tryForeword(environment, 'doctor', '--json');
  expect(JSON.parse(stdout).checks).toContainEqual(
    expect.objectContaining({ name: 'metrics', status: 'note', message: expect.stringContaining('/metrics is open') }),
  );
});

test('a PUBLIC_URL wins: the one of the command, otherwise the one of the service', async () => {
  await start({ PUBLIC_URL: 'https://intros.acme.example' });
  expect(await originOf()).toBe('https://intros.acme.example');
  expect(await originOf({ PUBLIC_URL: 'https://other.example/' })).toBe('https://other.example');
});

test('a service that stops removes its address, and commands use their own settings again', async () => {
  const service = await start();
  await service.stop();
  expect(fs.existsSync(file)).toBe(false);
  expect(await originOf()).toBe('http://127.0.0.1:3000');
  expect(await originOf({ HOST: '::1', PORT: '3999' })).toBe('http://[::1]:3999');
});

test('the address that a killed service left is ignored, and the next service replaces it', async () => {
  const killed = await start();
  await killed.kill();
  expect(fs.existsSync(file)).toBe(true);
  expect(await originOf()).toBe('http://127.0.0.1:3000');
  const next = await start();
  await eventually(originOf, (origin) => origin === next.url);
});

test('another program that took the port of a killed service is not mistaken for it', async () => {
  const killed = await start();
  await killed.kill();
  const other = http.createServer((_request, response) => response.end('{"status":"ok"}'));
  other.listen(Number(new URL(killed.url).port), '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  expect((other.address() as AddressInfo).port).toBe(Number(new URL(killed.url).port));
  expect(await originOf()).toBe('http://127.0.0.1:3000');
  other.close();
  other.closeAllConnections();
});

test('an unreadable file is ignored', async () => {
  for (const content of ['', '{', 'null', '{"url":1}', '[]']) {
    fs.writeFileSync(file, content);
    expect(await originOf()).toBe('http://127.0.0.1:3000');
  }
  fs.rmSync(file);
});

test('a service of another database in the same folder is ignored', async () => {
  await start();
  const another = await createTestDatabase();
  await createTestOrganization({ DATABASE_URL: another.url }, '');
  expect(await originOf({ DATABASE_URL: another.url })).toBe('http://127.0.0.1:3000');
  await another.drop();
});

test('a process without the role api does not offer its address', async () => {
  const api = await start();
  running.push(await startService({ ...environment, FOREWORD_DEMO: 'off', FOREWORD_ROLE: 'worker' }));
  expect(await originOf()).toBe(api.url);
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
  let output = '';
  child.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  await eventually(
    async () => output,
    (written) => written.includes('running at'),
    30_000,
  );
  const [, url = ''] = /running at (http:\/\/127\.0\.0\.1:[1-9]\d+)\. /.exec(output) ?? [];
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  expect(await originOf({ PORT: '0' })).toBe(url);
  child.kill('SIGTERM');
  expect(await exited).toBe(0);
});
