import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { Agent, fetch as fetchWith } from 'undici';
import { afterAll, expect, test, vi } from 'vitest';
import { prepareNginx, readDeployFile, WITHOUT_IPV6 } from '../environments/deploy-files.ts';
import { createTestAuthority } from '../environments/test-authority.ts';
import { createApi, foreword, forFile, freePort, openService } from '../harness/index.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';

const HOST = 'api.acme.test';

async function openInstallation(cell: string) {
  const fixture = await forFile(openService({ FOREWORD_CELL: cell, PUBLIC_URL: `https://intros.${cell}.acme.test` }));
  const { key } = await foreword(
    { ...fixture.environment, FOREWORD_CELL: cell },
    ...['key', 'create', '--org', fixture.organization.id, '--name', 'Acme CRM'],
  );
  expect(key).toMatch(new RegExp(`^fw_test_${cell}_[0-9A-Za-z]{30}$`));
  return { fixture, key: key as string };
}

const folder = temporaryFolder();
// The workers of nginx run as another user when it is started by root.
fs.chmodSync(folder, 0o755);
const eu1 = await openInstallation('eu1');
const us1 = await openInstallation('us1');
const port = await freePort();
const tls = createTestAuthority(folder, HOST);
const { command, args } = prepareNginx(
  folder,
  readDeployFile('nginx/cells.conf', [
    [/\/etc\/letsencrypt\/live\/api\.example\.com\/fullchain\.pem/g, tls.certificate],
    [/\/etc\/letsencrypt\/live\/api\.example\.com\/privkey\.pem/g, tls.key],
    [/api\.example\.com/g, HOST],
    ['server 127.0.0.1:3001;', `server ${new URL(eu1.fixture.service.url).host};`],
    ['server 127.0.0.1:3002;', `server ${new URL(us1.fixture.service.url).host};`],
    ['listen 443 ', `listen 127.0.0.1:${port} `],
    WITHOUT_IPV6,
  ]),
);
const router = spawn(command, args, { stdio: 'inherit' });
afterAll(async () => {
  if (router.exitCode === null && router.kill()) await once(router, 'exit');
});
const dispatcher = new Agent({
  connect: {
    ca: fs.readFileSync(tls.root, 'utf8'),
    lookup: (_host, { all }, done) =>
      all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4),
  },
});
afterAll(() => dispatcher.close());
await vi.waitUntil(() => call(null, '/openapi.json').catch(() => null), { timeout: 30_000 });

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

test('events for one address become intros of the installation that the key names, and of no other', async () => {
  for (const { key } of [eu1, us1]) {
    for (const number of [1, 2]) expect(await report(key, number)).toMatchObject({ status: 202 });
    // The same requests again: the other installation does not know these keys.
    expect(await report(key, 1)).toMatchObject({ status: 202, body: { status: 'duplicate' } });
  }
  for (const { key, fixture } of [eu1, us1]) {
    const intros = async () => (await call(key, '/v1/intros')).body.data as { id: string }[];
    await expect.poll(async () => (await intros()).length).toBe(2);
    // The installation itself, without the router, has the same.
    const own = await createApi(fixture.service.url, key).get('/v1/intros');
    expect(own.body.data.map(({ id }: { id: string }) => id)).toEqual((await intros()).map(({ id }) => id));
  }
});

test('a key that names no installation reaches the first one', async () => {
  const { fixture } = eu1;
  const { key } = await foreword(
    { ...fixture.environment, FOREWORD_CELL: '' },
    ...['key', 'create', '--org', fixture.organization.id, '--name', 'Older'],
  );
  expect(key).toMatch(/^fw_test_[0-9A-Za-z]{30}$/);
  expect((await call(key, '/v1/members')).status).toBe(200);
});

test('a key of another installation is 401, and the message names both', async () => {
  const { body, status } = await createApi(eu1.fixture.service.url, us1.key).get('/v1/members');
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
  await us1.fixture.service.stop();
  expect((await call(us1.key, '/v1/members')).status).toBe(502);
  expect((await call(eu1.key, '/v1/members')).status).toBe(200);
});
