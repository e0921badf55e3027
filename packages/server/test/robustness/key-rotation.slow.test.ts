import { spawn } from 'node:child_process';
import { once } from 'node:events';
import os from 'node:os';
import path from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, expect, test } from 'vitest';
import { createOffLinks } from '../../src/delivery/weekly-summary.ts';
import { newId } from '../../src/platform/ids.ts';
import { toServerKey } from '../../src/platform/server-key.ts';
import { createContentSeal } from '../../src/webhooks/index.ts';
import { type ConsoleClient, clientWith, openConsole } from '../console/console-client.ts';
import {
  createApi,
  createTestDatabase,
  createTestOrganization,
  foreword,
  forFile,
  nextKey,
  runForeword,
  startService,
} from '../harness/index.ts';
import { startReceiver } from '../webhooks/receiver.ts';

const BIN = path.join(import.meta.dirname, '../../bin/foreword.mjs');
const [OLD, NEW] = ['a1'.repeat(32), 'b2'.repeat(32)] as const;
const OF_OLD = { SERVER_KEY: OLD };
const MIXED = { SERVER_KEY: `${NEW},${OLD}` };
const OF_NEW = { SERVER_KEY: NEW };
/** Encrypting them takes some seconds. */
const PAYLOADS = 8_000;

const start = (keys: Record<string, string>) => startService({ ...settings, ...keys });

const database = await forFile(createTestDatabase(), (opened) => opened.drop());
// The template has the key of other tests.
await database.query('truncate server_key');
const receiver = await forFile(startReceiver());
const settings = {
  ...database.environment,
  ...{ FOREWORD_DEMO: 'off', RATE_LIMIT: 'off', WEBHOOKS_ALLOW_PRIVATE: 'on', LOG_LEVEL: 'warn' },
};
const nodes = await Promise.all([start(OF_OLD), start(OF_OLD)]);
const acme = await createTestOrganization({ ...settings, ...OF_OLD }, nodes[0].url);
afterAll(async () => {
  await Promise.all((nodes ?? []).map((node) => node.stop()));
});

async function restart(at: 0 | 1, keys: Record<string, string>): Promise<void> {
  await nodes[at].stop();
  nodes[at] = await start(keys);
}

const rotate = () => runForeword({ ...settings, ...MIXED }, 'server-key', 'rotate', '--json');

const BODY = { member: { external_id: 'rep_17' }, recipient: { first_name: 'Dana', phone: '+15005550123' } };
const pathOf = (url: string): string => new URL(url).pathname;

async function createEverything() {
  const { api } = acme;
  const environment = { ...settings, ...OF_OLD };
  const retryKey = nextKey();
  const keyOptions = ['--org', acme.id, '--name', 'Links', '--allow-recording-links', 'true'];
  const endpoint = { url: receiver.url, events: ['*'] };
  const { secret } = (await api.post('/v1/webhook_endpoints', endpoint, { key: retryKey })).body;
  const { id: open } = (await api.post('/v1/intros', BODY)).body;
  const { id: recorded } = (await api.post('/v1/intros', BODY)).body;
  await api.post(`/v1/test_helpers/intros/${recorded}/record`, {});
  const ready = async () => (await api.get(`/v1/intros/${recorded}`)).body;
  await expect.poll(async () => (await ready()).status, { timeout: 120_000 }).toBe('ready');
  const recipient = { organizationId: acme.id, memberId: acme.memberId };
  return {
    ...{ open, recorded, secret },
    key: String((await foreword(environment, 'key', 'create', ...keyOptions)).key),
    endpoint: { ...endpoint, retryKey },
    page: pathOf((await ready()).delivery.recipient_url),
    memberLink: pathOf((await foreword(environment, 'intro', 'link', open)).url),
    off: createOffLinks(toServerKey(Buffer.from(OLD, 'hex')), '').urlOf(recipient),
    cookie: (await openConsole({ url: nodes[0].url, environment }, { org: acme.id, email: 'ana@acme.example' })).cookie,
  };
}

/** Sent links, the session and the webhook secret work on every node, and nodes agree on the links of a new intro. */
async function expectEverything(created: Awaited<ReturnType<typeof createEverything>>): Promise<void> {
  for (const node of nodes) {
    const api = createApi(node.url, created.key);
    expect((await fetch(node.url + created.memberLink)).status).toBe(200);
    expect((await fetch(node.url + created.page)).status).toBe(200);
    expect((await fetch(node.url + created.off)).status).toBe(200);
    expect(pathOf((await api.get(`/v1/intros/${created.recorded}`)).body.delivery.recipient_url)).toBe(created.page);
    const client: ConsoleClient = clientWith(node.url, created.cookie);
    expect((await client.get('/console/api/session')).status).toBe(200);
    const { retryKey, ...endpoint } = created.endpoint;
    const repeated = await api.post('/v1/webhook_endpoints', endpoint, { key: retryKey });
    expect(repeated.body.secret).toBe(created.secret);
    const { id } = (await api.post('/v1/intros', BODY)).body;
    const link = pathOf((await api.post(`/v1/intros/${id}/recording_link`, {})).body.url);
    for (const other of nodes) expect((await fetch(other.url + link)).status).toBe(200);
    await expect.poll(() => receiver.received.some(({ body }) => body.includes(id)), { timeout: 15_000 }).toBe(true);
    const message = receiver.received.find(({ body }) => body.includes(id));
    expect(() => new Webhook(created.secret).verify(message?.body ?? '', message?.headers ?? {})).not.toThrow();
  }
}

/** Payloads as the service stores them, so that encrypting them again takes a while. */
async function storePayloads(): Promise<void> {
  const contents = createContentSeal(toServerKey(Buffer.from(OLD, 'hex')));
  const rows = Array.from({ length: PAYLOADS }, () => {
    const place = { organization_id: acme.id, id: newId('msg', new Date()) };
    return [place.id, contents.sealPayload(place, '{}')] as const;
  });
  await database.sql`insert into webhook_messages (organization_id, environment, id, type, sealed_payload, created_at)
     select ${acme.id}, 'test', id, 'intro.ready', sealed, now() from unnest(${rows.map(([id]) => id)}::text[], ${rows.map(([, sealed]) => sealed)}::bytea[]) as m(id, sealed)`;
}

const countEncrypted = async (version: 1 | 2): Promise<number> => {
  const text = 'select count(*)::int as n from webhook_messages where get_byte(sealed_payload, 0) = $1';
  return (await database.query<{ n: number }>(text, [version]))[0]?.n ?? 0;
};

const doctor = async (keys: Record<string, string>) => {
  const { stdout } = await runForeword({ ...settings, ...keys }, 'doctor', '--json');
  return JSON.parse(stdout).checks.find(({ name }: { name: string }) => name === 'server key');
};

test('a rotation with a node that lacks the key, and a kill while it encrypts, breaks no link, session or webhook', async () => {
  const created = await createEverything();

  await restart(0, MIXED);
  expect(await doctor(MIXED)).toMatchObject({ status: 'warning', message: expect.stringContaining('not in use yet') });
  const refused = await rotate();
  expect([refused.code, refused.stderr]).toEqual([
    78,
    expect.stringContaining(`the node ${os.hostname()} does not have`),
  ]);
  const early = await runForeword({ ...settings, ...OF_NEW }, 'server-key', 'rotate');
  expect([early.code, early.stderr]).toEqual([78, expect.stringContaining('is not the key that this database uses')]);
  await expectEverything(created);

  await restart(1, MIXED);
  await storePayloads();
  const command = spawn(process.execPath, [BIN, 'server-key', 'rotate'], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...settings, ...MIXED },
    stdio: 'ignore',
  });
  const exited = once(command, 'exit');
  await expect.poll(() => countEncrypted(2), { timeout: 60_000, interval: 20 }).toBeGreaterThan(1_000);
  command.kill('SIGKILL');
  await exited;
  const left = await countEncrypted(1);
  expect(left).toBeGreaterThan(0);
  await expectEverything(created);
  expect(await doctor(MIXED)).toMatchObject({
    status: 'warning',
    message: expect.stringContaining('has not encrypted'),
  });

  // The previous key is in the database now, so that nodes and the command need only the new one.
  await restart(0, OF_NEW);
  await expectEverything(created);
  const resumed = await runForeword({ ...settings, ...OF_NEW }, 'server-key', 'rotate', '--json');
  const rotation = JSON.parse(resumed.stdout);
  expect(rotation).toMatchObject({ object: 'server_key_rotation', status: 'resumed' });
  expect(rotation.reencrypted).toBeGreaterThanOrEqual(left);
  expect(await countEncrypted(1)).toBe(0);
  await expectEverything(created);
  expect(await doctor(MIXED)).toMatchObject({
    status: 'ok',
    message: expect.stringMatching(
      /The previous keys in SERVER_KEY can be removed\. Live links that derive from earlier keys: [1-9]/,
    ),
  });
  const again = await runForeword({ ...settings, ...OF_NEW }, 'server-key', 'rotate', '--json');
  expect(JSON.parse(again.stdout)).toMatchObject({ status: 'unchanged', reencrypted: 0 });
  const old = await runForeword({ ...settings, ...OF_OLD }, 'intro', 'link', created.open);
  expect([old.code, old.stderr]).toEqual([78, expect.stringContaining('is not the key that this database uses')]);
}, 300_000);
