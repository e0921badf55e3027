import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect } from 'vitest';
import { APPOINTMENT, anEvent, anIntro, eventually, REFERENCE } from '../acceptance/support/actions.ts';
import { type CarrierService, HTTP_SECRET, startHttpService } from '../delivery/carrier-services.ts';
import { createTestDatabase, freePort, launchService, type Service, type TestDatabase } from '../harness/index.ts';
import { type Receiver, startReceiver } from '../webhooks/receiver.ts';
import { type Balancer, openBalancer } from './balancer.ts';
import type { FirstVersion } from './first-version.ts';

const CLIP = path.join(import.meta.dirname, '../../src/recordings/media/clip.mp4');
const TUS = { 'tus-resumable': '1.0.0' };
const RECORDED_WITHIN_MS = 90_000;
export const WAITING_RECIPIENT = { first_name: 'Eve', phone: '+14155550177' };

// biome-ignore lint/suspicious/noExplicitAny: tests read responses freely, as in the harness.
export type Body = any;
export type Node = Service & { readonly environment: Record<string, string> & { PORT: string } };

/** A node of the given version; without `main`, of this one. */
export async function startNode(environment: Node['environment'], main?: string): Promise<Node> {
  const launched = launchService(environment, main === undefined ? {} : { main });
  await launched.ready;
  return { ...launched, environment };
}

/** Requests of an integrator, a signed-in owner and a member, through the balancer. */
export interface Client {
  get(at: string): Promise<Body>;
  post(at: string, body?: object, idempotencyKey?: string): Promise<Body>;
  untilStatus(introId: string, status: string): Promise<Body>;
  /** The status of a request to the console's API. */
  console(at: string): Promise<number>;
}

function createClient(balancer: Balancer, key: string, cookie: string): Client {
  const authorization = `Bearer ${key}`;
  let keys = 0;
  const client: Client = {
    async get(at) {
      const { status, body } = await balancer.request(at, { headers: { authorization } });
      expect(status, `${at}: ${body}`).toBe(200);
      return JSON.parse(body);
    },
    async post(at, body = {}, idempotencyKey = `upgrade:${++keys}`) {
      const headers = { authorization, 'idempotency-key': idempotencyKey, 'content-type': 'application/json' };
      const response = await balancer.request(at, { method: 'POST', headers, body: JSON.stringify(body) });
      expect([200, 201, 202], `${at}: ${response.body}`).toContain(response.status);
      return JSON.parse(response.body);
    },
    untilStatus: (id, status) =>
      eventually(
        () => client.get(`/v1/intros/${id}`),
        (intro) => intro.status === status,
        RECORDED_WITHIN_MS,
      ),
    async console(at) {
      const headers = { cookie, 'sec-fetch-site': 'same-origin' };
      return (await balancer.request(`/console/api${at}`, { headers })).status;
    },
  };
  return client;
}

async function signIn(first: FirstVersion, environment: Record<string, string>, organization: string): Promise<string> {
  const { url } = await first.run(environment, 'signin', '--org', organization, '--email', 'ana@acme.example');
  const origin = String(environment.PUBLIC_URL);
  const response = await fetch(origin + new URL(url).pathname, {
    method: 'POST',
    headers: { origin, 'sec-fetch-site': 'same-origin' },
    redirect: 'manual',
  });
  expect(response.status).toBe(303);
  return response.headers.get('set-cookie')?.split(';')[0] ?? '';
}

/** An organization whose texts to recipients wait until after the test. */
async function createOrganization(first: FirstVersion, environment: Record<string, string>) {
  const run = (...args: string[]) => first.run(environment, ...args);
  const name = ['--name', 'Acme Roofing', '--industry', 'exterior_remodeling', '--timezone', 'UTC'];
  const { id } = await run('org', 'create', ...name);
  const ana = ['--first-name', 'Ana', '--last-name', 'Ng', '--email', 'ana@acme.example', '--external-id', 'rep_17'];
  await run('member', 'create', '--org', id, ...ana, '--role', 'owner', '--phone', '+14155550100');
  const { key } = await run('key', 'create', '--org', id);
  const [from, until] = new Date().getUTCHours() < 12 ? ['20:00', '21:00'] : ['08:00', '09:00'];
  await run('delivery', 'set', '--org', id, '--texts-from', from, '--texts-until', until);
  return { id, key };
}

/** One intro in each status, by name. */
async function createIntros(client: Client, database: TestDatabase): Promise<Record<string, string>> {
  const intros: Record<string, string> = {};
  const create = async (name: string, changes: object = {}): Promise<string> => {
    const { id } = await client.post('/v1/intros', anIntro({ reference: { ...REFERENCE, id: name }, ...changes }));
    intros[name] = id;
    return id;
  };
  await create('requested', { context: { title: 'A title', appointment: APPOINTMENT }, metadata: { vip: true } });
  await create('uploading');
  await client.post(`/v1/intros/${await create('cancelled')}/cancel`);
  const expired = await create('expired');
  // Arrange: its appointment has passed.
  await database.query("update intros set expires_at = now() - interval '1 second' where id = $1", [expired]);
  const recorded = [
    await create('waiting', { recipient: WAITING_RECIPIENT, delivery: { responsibility: 'service' } }),
    await create('ready'),
    await create('sent'),
  ];
  for (const id of recorded) await client.post(`/v1/test_helpers/intros/${id}/record`);
  for (const id of recorded) await client.untilStatus(id, 'ready');
  await client.post(`/v1/intros/${intros.sent}/mark_sent`);
  await client.untilStatus(expired, 'expired');
  return intros;
}

/** An upload that a phone has begun. */
interface Upload {
  /** Sends a part of the take, from and to a share of its length. */
  send(from: number, to: number): Promise<void>;
}

async function startUpload(balancer: Balancer, memberPage: string): Promise<Upload> {
  const clip = fs.readFileSync(CLIP);
  const begun = await balancer.request(`${memberPage}/uploads`, {
    method: 'POST',
    headers: { ...TUS, 'upload-length': String(clip.length), 'upload-metadata': `filetype ${btoa('video/mp4')}` },
  });
  expect(begun.status, begun.body).toBe(201);
  const at = new URL(begun.headers.get('location') ?? '', 'http://service').pathname;
  const offset = (share: number) => Math.floor(clip.length * share);
  return {
    async send(from, to) {
      const response = await balancer.request(at, {
        method: 'PATCH',
        headers: { ...TUS, 'upload-offset': String(offset(from)), 'content-type': 'application/offset+octet-stream' },
        body: new Uint8Array(clip.subarray(offset(from), offset(to))),
      });
      expect(response.status, response.body).toBe(204);
    },
  };
}

/** Two nodes of the first version behind a balancer, with data of every kind. */
export interface Upgrade {
  readonly environment: Record<string, string>;
  readonly organization: string;
  readonly database: TestDatabase;
  readonly carrier: CarrierService;
  readonly receiver: Receiver;
  readonly balancer: Balancer;
  /** The test replaces them. */
  readonly nodes: Node[];
  readonly client: Client;
  readonly intros: Record<string, string>;
  /** The event that was processed before the upgrade. */
  readonly event: string;
  /** Paths of a member's link and a recipient's link. */
  readonly pages: { readonly member: string; readonly recipient: string };
  readonly upload: Upload;
  /** Every object in the API, by its path. */
  readObjects(): Promise<Map<string, Body>>;
  close(): Promise<void>;
}

export async function openUpgrade(first: FirstVersion): Promise<Upgrade> {
  // Not the migrated template: the first version creates its own tables.
  const database = await createTestDatabase('template0');
  const [carrier, receiver, balancer] = [await startHttpService(), await startReceiver(), openBalancer()];
  const ports = [String(await freePort()), String(await freePort())];
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'foreword-upgrade-'));
  const environment = {
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    PUBLIC_URL: `http://127.0.0.1:${ports[0]}`,
    SMS_CARRIER: 'http',
    SMS_HTTP_URL: carrier.url,
    SMS_HTTP_SECRET: HTTP_SECRET,
    WEBHOOKS_ALLOW_PRIVATE: 'on',
    RATE_LIMIT: 'off',
    FOREWORD_DEMO: 'off',
  };
  const nodes: Node[] = [];
  for (const PORT of ports) nodes.push(await startNode({ ...environment, PORT }, first.main));
  for (const node of nodes) balancer.add(node);

  const { id: organization, key } = await createOrganization(first, environment);
  const client = createClient(balancer, key, await signIn(first, environment, organization));
  const memberPage = async (introId = '') =>
    new URL((await first.run(environment, 'intro', 'link', introId)).url).pathname;
  await client.post('/v1/webhook_endpoints', { url: receiver.url, events: ['*'] });
  const intros = await createIntros(client, database);
  const upload = await startUpload(balancer, await memberPage(intros.uploading));
  await upload.send(0, 0.5);
  const { id: event } = await client.post('/v1/touchpoint-events', anEvent({ context: { appointment: APPOINTMENT } }));
  await eventually(
    () => client.get(`/v1/events/${event}`),
    ({ status }) => status === 'processed',
  );
  const { recipient_url } = (await client.get(`/v1/intros/${intros.ready}`)).delivery;
  const pages = { member: await memberPage(intros.requested), recipient: new URL(recipient_url).pathname };

  return {
    ...{
      environment,
      organization,
      database,
      carrier,
      receiver,
      balancer,
      nodes,
      client,
      intros,
      event,
      pages,
      upload,
    },
    async readObjects() {
      const lists = ['/v1/touchpoints', '/v1/members', '/v1/webhook_endpoints', `/v1/events/${event}`];
      const each = Object.values(intros).flatMap((id) => [`/v1/intros/${id}`, `/v1/intros/${id}/timeline`]);
      const found = new Map<string, Body>();
      for (const at of [...lists, ...each]) found.set(at, await client.get(at));
      return found;
    },
    async close() {
      for (const node of nodes) await node.stop();
      await balancer.close();
      await Promise.all([carrier.close(), receiver.close()]);
      await database.drop();
      fs.rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
