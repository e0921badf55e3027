import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { Agent, fetch as fetchWith } from 'undici';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { findProgram } from '../environments/programs.ts';
import { createTestAuthority } from '../environments/test-authority.ts';
import { createApi, foreword, openService, type ServiceFixture } from '../harness/index.ts';

const HOST = 'api.acme.test';
const CONFIGURATION = path.join(import.meta.dirname, '../../../../deploy/nginx/cells.conf');
const CELLS = ['eu1', 'us1'] as const;
type Cell = (typeof CELLS)[number];

interface Installation {
  readonly fixture: ServiceFixture;
  /** A key that names the installation. */
  readonly key: string;
}

let folder: string;
let port: number;
let router: ChildProcess;
let dispatcher: Agent;
const installations = {} as Record<Cell, Installation>;

async function openInstallation(cell: Cell): Promise<Installation> {
  const fixture = await openService({ FOREWORD_CELL: cell, PUBLIC_URL: `https://intros.${cell}.acme.test` });
  const { key } = await foreword(
    { ...fixture.environment, FOREWORD_CELL: cell },
    ...['key', 'create', '--org', fixture.organization.id, '--name', 'Acme CRM'],
  );
  return { fixture, key };
}

async function findFreePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: free } = server.address() as net.AddressInfo;
  await once(server.close(), 'close');
  return free;
}

/** Makes the replacements that the shipped file asks for, and moves it to another port. */
function writeConfiguration(): string {
  const tls = createTestAuthority(folder, HOST);
  dispatcher = new Agent({
    connect: {
      ca: fs.readFileSync(tls.root, 'utf8'),
      lookup: (_host, { all }, done) =>
        all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4),
    },
  });
  const replacements: [from: string | RegExp, to: string][] = [
    [/\/etc\/letsencrypt\/live\/api\.example\.com\/fullchain\.pem/g, tls.certificate],
    [/\/etc\/letsencrypt\/live\/api\.example\.com\/privkey\.pem/g, tls.key],
    [/api\.example\.com/g, HOST],
    [/server 127\.0\.0\.1:3001;/, `server ${new URL(installations.eu1.fixture.service.url).host};`],
    [/server 127\.0\.0\.1:3002;/, `server ${new URL(installations.us1.fixture.service.url).host};`],
    [/listen 443 /, `listen 127.0.0.1:${port} `],
    // Machines without IPv6 could not listen.
    [/^ *listen \[::\].*\n/gm, ''],
  ];
  let text = fs.readFileSync(CONFIGURATION, 'utf8');
  for (const [from, to] of replacements) {
    if (text.search(from) < 0) throw new Error(`cells.conf does not contain ${from}`);
    text = text.replace(from, to);
  }
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const folders = temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n');
  const file = path.join(folder, 'nginx.conf');
  const pid = `pid ${folder}/nginx.pid;`;
  fs.writeFileSync(file, `daemon off;\n${pid}\nerror_log stderr;\nevents {}\nhttp {\n${folders}\n${text}\n}\n`);
  return file;
}

/** Through the router. */
async function call(key: string | null, at: string, init: { method?: string; headers?: object; body?: string } = {}) {
  const authorization = key === null ? {} : { authorization: `Bearer ${key}` };
  const response = await fetchWith(`https://${HOST}:${port}${at}`, {
    ...init,
    headers: { ...init.headers, ...authorization },
    dispatcher,
  });
  const text = await response.text();
  return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text };
}

const report = (key: string, number: number) =>
  call(key, '/v1/touchpoint-events', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': `crm:appt_${number}:new_appointment` },
    body: JSON.stringify({
      ...{ touchpoint: 'project_kickoff', occurred_at: '2026-03-10T09:15:00Z', member: { external_id: 'rep_17' } },
      recipient: { first_name: 'Dana', phone: '+15005550123' },
    }),
  });

beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'foreword-cells-'));
  // The workers of nginx run as another user when it is started by root.
  fs.chmodSync(folder, 0o755);
  for (const cell of CELLS) installations[cell] = await openInstallation(cell);
  port = await findFreePort();
  const file = writeConfiguration();
  router = spawn(findProgram('nginx', 'nginx'), ['-e', 'stderr', '-p', folder, '-c', file], { stdio: 'inherit' });
  await vi.waitUntil(() => call(null, '/openapi.json').catch(() => null), { timeout: 30_000 });
});

afterAll(async () => {
  if (router?.exitCode === null) {
    router.kill('SIGTERM');
    await once(router, 'exit');
  }
  await dispatcher?.close();
  for (const { fixture } of Object.values(installations)) await fixture.close();
  fs.rmSync(folder, { recursive: true, force: true });
});

test('a key names its installation', () => {
  for (const cell of CELLS) expect(installations[cell].key).toMatch(new RegExp(`^fw_test_${cell}_[0-9A-Za-z]{30}$`));
});

test('events for one address become intros of the installation that the key names, and of no other', async () => {
  for (const cell of CELLS) {
    const { key } = installations[cell];
    for (const number of [1, 2]) expect(await report(key, number)).toMatchObject({ status: 202 });
    // The same requests again: the other installation does not know these keys.
    expect(await report(key, 1)).toMatchObject({ status: 202, body: { status: 'duplicate' } });
  }
  for (const cell of CELLS) {
    const { key, fixture } = installations[cell];
    const intros = async () => (await call(key, '/v1/intros')).body.data as { id: string }[];
    await expect.poll(async () => (await intros()).length).toBe(2);
    // The installation itself, without the router, has the same.
    const own = await createApi(fixture.service.url, key).get('/v1/intros');
    expect(own.body.data.map(({ id }: { id: string }) => id)).toEqual((await intros()).map(({ id }) => id));
  }
});

test('a key that names no installation reaches the first one', async () => {
  const { fixture } = installations.eu1;
  const { key } = await foreword(
    { ...fixture.environment, FOREWORD_CELL: '' },
    ...['key', 'create', '--org', fixture.organization.id, '--name', 'Older'],
  );
  expect(key).toMatch(/^fw_test_[0-9A-Za-z]{30}$/);
  expect((await call(key, '/v1/members')).status).toBe(200);
});

test('a key of another installation is 401, and the message names both', async () => {
  const { body, status } = await createApi(installations.eu1.fixture.service.url, installations.us1.key).get(
    '/v1/members',
  );
  expect(status).toBe(401);
  expect(body.error).toMatchObject({
    code: 'unauthorized',
    message:
      'This key belongs to the installation "us1", and this is "eu1". Check FOREWORD_CELL and the router in front.',
  });
});

test('without a valid key the answer is that of the API, and other paths do not exist', async () => {
  expect(await call(null, '/v1/members')).toMatchObject({ status: 401, body: { error: { code: 'unauthorized' } } });
  expect(await call('fw_test_au1_nothing', '/v1/members')).toMatchObject({ status: 401 });
  expect((await call(null, '/console')).status).toBe(404);
});

test('the other installation continues while one is stopped', async () => {
  const { eu1, us1 } = installations;
  await us1.fixture.service.stop();
  expect((await call(us1.key, '/v1/members')).status).toBe(502);
  expect((await call(eu1.key, '/v1/members')).status).toBe(200);
});
