import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { anEvent, anIntro, createIntro, eventually, settled } from '../acceptance/support/actions.ts';
import { openPhone } from '../acceptance/support/recorder.ts';
import { createBrowserClient } from '../console/browser-client.ts';
import { openConsole } from '../console/console-client.ts';
import { type Inbox, openInbox } from '../console/inbox.ts';
import { type CarrierService, HTTP_SECRET, startHttpService } from '../delivery/carrier-services.ts';
import { forFile, nextKey, openService, type ServiceFixture, type TestDatabase } from '../harness/index.ts';
import { type Receiver, startReceiver } from '../webhooks/receiver.ts';

const CLIP = path.join(import.meta.dirname, '../../src/recordings/media/clip.mp4');
const PROCESSED_WITHIN_MS = 60_000;
const OLGAS = { member: { email: 'olga@acme.example' } };
const SERVICE = { delivery: { responsibility: 'service' } };
let numbers = 0;
const newRecipient = () => ({ first_name: 'Dana', last_name: 'Reyes', phone: `+1415555${2000 + numbers++}` });

interface Replayed {
  readonly path: string;
  readonly key: string;
  readonly body: unknown;
}

/** An installation in which everything that carries a link has happened. */
interface FilledInstallation extends ServiceFixture {
  readonly carrier: CarrierService;
  readonly inbox: Inbox;
  readonly receiver: Receiver;
  /** Paths that work: recorders, pages, and a sign-in link that was not used. */
  readonly livePaths: readonly string[];
}

const untilRecorded = ({ api }: ServiceFixture, id: string) =>
  eventually(
    async () => (await api.get(`/v1/intros/${id}`)).body,
    (intro) => intro.recorded_at !== null,
    PROCESSED_WITHIN_MS,
  );

/** Records on a phone, because texts about simulated recordings may not be sent. */
async function record(fixture: ServiceFixture, id: string): Promise<void> {
  await (await openPhone(fixture, id)).send(fs.readFileSync(CLIP));
  await untilRecorded(fixture, id);
}

/** Fails once, so that there are attempts of both kinds. Repeats the payload, as is and encoded. */
function answerWithEcho(receiver: Receiver): void {
  const seen = new Set<string>();
  receiver.answerWith((response, { headers, body }) => {
    const id = headers['webhook-id'] ?? '';
    const url = /"recipient_url":"([^"]*)"/.exec(body)?.[1] ?? '';
    response.writeHead(seen.has(id) ? 200 : 500);
    response.end([url, encodeURIComponent(url), Buffer.from(url).toString('base64'), body].join('\n'));
    seen.add(id);
  });
}

async function replayable({ api }: ServiceFixture, at: string): Promise<Replayed> {
  const key = nextKey();
  const { status, body } = await api.post(at, undefined, { key });
  expect(status).toBeLessThan(300);
  return { path: at, key, body };
}

async function createIntros(fixture: ServiceFixture, carrier: CarrierService) {
  const { api } = fixture;
  const accepted = (await api.post('/v1/touchpoint-events', anEvent({ recipient: newRecipient() }))).body;
  const { intro: event } = await settled(api, accepted.id);
  const create = async (changes: object = {}): Promise<string> =>
    (await createIntro(api, anIntro({ recipient: newRecipient(), ...changes }))).id;
  const intros = { event, texted: await create(SERVICE), marked: await create(), waiting: await create(OLGAS) };
  // A carrier's error that quotes a text.
  const text = await eventually(() => carrier.accepted.find(({ body }) => body.includes('/r/')));
  const message = `We do not send "${text?.body}"`;
  carrier.next({ kind: 'respond', status: 400, body: JSON.stringify({ code: 'undelivered', message }) });
  await Promise.all([record(fixture, intros.texted), record(fixture, intros.marked)]);
  const texted = await eventually(
    async () => (await api.get(`/v1/intros/${intros.texted}`)).body,
    ({ delivery }) => delivery.error !== null,
  );
  expect(texted.delivery.error.message).toContain('We do not send "');
  const replays = [
    // The video that the link in this response shows.
    await replayable(fixture, `/v1/test_helpers/intros/${intros.marked}/record`),
    await replayable(fixture, `/v1/intros/${intros.marked}/mark_sent`),
  ];
  for (const { path: at, key, body } of replays) {
    expect(JSON.stringify(body)).toContain('/i/');
    expect((await api.post(at, undefined, { key })).body).toEqual(body);
  }
  return intros;
}

async function untilIdle({ database }: ServiceFixture): Promise<void> {
  const WORK = `select (select count(*)::int from all_messages where status in ('scheduled', 'sending') and due_at <= now())
    + (select count(*)::int from webhook_deliveries where due_at is not null) as n`;
  await eventually(
    async () => (await database.query<{ n: number }>(WORK))[0]?.n,
    (n) => n === 0,
    PROCESSED_WITHIN_MS,
  );
  // The request log is written twice a second.
  await eventually(
    async () => (await database.query<{ n: number }>(`select count(*)::int as n from request_log`))[0]?.n ?? 0,
    (n) => n > 0,
  );
}

async function fillInstallation(): Promise<FilledInstallation> {
  const [inbox, carrier, receiver] = await Promise.all([openInbox(), startHttpService(), startReceiver()]);
  answerWithEcho(receiver);
  const texts = { SMS_CARRIER: 'http', SMS_HTTP_URL: carrier.url, SMS_HTTP_SECRET: HTTP_SECRET };
  const fixture = await openService({ ...inbox.environment, ...texts });
  const { api, run, service, environment, organization } = fixture;
  await run('delivery', 'set', '--org', organization.id, '--texts-from', '00:00', '--texts-until', '24:00');
  const names = [
    '--first-name',
    'Olga',
    '--last-name',
    'Lee',
    '--email',
    'olga@acme.example',
    '--phone',
    '+14155551999',
  ];
  await run('member', 'create', '--org', organization.id, ...names, '--role', 'owner');
  expect((await api.post('/v1/webhook_endpoints', { url: receiver.url })).status).toBe(201);
  const owner = await openConsole(
    { url: service.url, environment },
    { org: organization.id, email: 'olga@acme.example' },
  );
  const intros = await createIntros(fixture, carrier);
  // The first member's link stops working; the next one gets another.
  await owner.call('POST /intros/{id}/reassign', {
    params: { id: intros.waiting },
    body: { member: organization.memberId },
  });
  const browser = createBrowserClient(service.url);
  await browser.post('/console/signin', { email: 'ana@acme.example', next: '/console' });
  const signIn = await eventually(() => inbox.emails.findLast((email) => email.path !== ''));
  await untilIdle(fixture);
  const page = async (id: string) => new URL((await api.get(`/v1/intros/${id}`)).body.delivery.recipient_url).pathname;
  const livePaths = [
    await page(intros.texted),
    await page(intros.marked),
    new URL((await run('intro', 'link', intros.waiting)).url).pathname,
    signIn?.path ?? '',
  ];
  return {
    ...fixture,
    carrier,
    inbox,
    receiver,
    livePaths,
    async close() {
      await fixture.close();
      await Promise.all([inbox.close(), carrier.close(), receiver.close()]);
    },
  };
}

const RUN = /(?<![0-9A-Za-z])[0-9A-Za-z]{12,60}(?![0-9A-Za-z])/g;
const BASE64 = /[0-9A-Za-z+/_-]{16,}={0,2}/g;
const HEX = /(?:[0-9A-Fa-f]{2}){12,}/g;
const PERCENT = /%[0-9A-Fa-f]{2}/;
/** Encodings within encodings, such as JSON within base64. */
const MAX_DEPTH = 3;

function decodings(text: string): string[] {
  const percent = PERCENT.test(text)
    ? [text.replaceAll(/%([0-9A-Fa-f]{2})/g, (_all, hex) => String.fromCharCode(Number.parseInt(hex, 16)))]
    : [];
  const base64 = [...text.matchAll(BASE64)].map(([run]) => Buffer.from(run, 'base64').toString('latin1'));
  const hex = [...text.matchAll(HEX)].map(([run]) => Buffer.from(run, 'hex').toString('latin1'));
  return [...percent, ...base64, ...hex];
}

/** Every run of letters and digits that may be a token: in the text, and in what it contains encoded. */
function tokensIn(text: string, depth = MAX_DEPTH): Set<string> {
  const found = new Set([...text.matchAll(RUN)].map(([run]) => run));
  if (depth === 0) return found;
  for (const decoded of decodings(text)) for (const token of tokensIn(decoded, depth - 1)) found.add(token);
  return found;
}

/** Every row of every table as text. */
async function dumpTables(database: TestDatabase): Promise<Map<string, string>> {
  const tables = await database.query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')`,
  );
  const dump = new Map<string, string>();
  for (const { name } of tables) {
    const rows = await database.query<{ row: string }>(`select to_jsonb(t)::text as row from ${name} t`);
    if (rows.length > 0) dump.set(name, rows.map(({ row }) => row).join('\n'));
  }
  return dump;
}

const CONCURRENT = 8;
const UNKNOWN = 'Zz9Yy8Xx7Ww6';

const installation = await forFile(fillInstallation());

let addresses = 0;
/** From a new address each time, because wrong links are limited by address. */
function ask(path: string, headers: Record<string, string> = {}): Promise<Response> {
  const n = ++addresses;
  const address = `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;
  const options = { headers: { 'x-forwarded-for': address, ...headers }, redirect: 'manual' } as const;
  return fetch(installation.service.url + path, options);
}

/** The response of each way to use a token. */
async function tryToken(token: string): Promise<Record<string, number>> {
  const bearer = (key: string) => ask('/v1/touchpoints', { authorization: `Bearer ${key}` });
  const responses = {
    page: await ask(`/i/${token}`),
    recorder: await ask(`/r/${token}`),
    signIn: await ask(`/console/signin/${token}`),
    key: await bearer(token),
    keyWithPrefix: await bearer(`fw_test_${token}`),
  };
  for (const response of Object.values(responses)) await response.body?.cancel();
  return Object.fromEntries(Object.entries(responses).map(([way, { status }]) => [way, status]));
}

async function findWorking(tokens: ReadonlySet<string>): Promise<string[]> {
  const refused = await tryToken(UNKNOWN);
  const waiting = [...tokens];
  const working: string[] = [];
  await Promise.all(
    Array.from({ length: CONCURRENT }, async () => {
      for (let token = waiting.pop(); token !== undefined; token = waiting.pop()) {
        const statuses = await tryToken(token);
        if (JSON.stringify(statuses) !== JSON.stringify(refused)) working.push(`${token} ${JSON.stringify(statuses)}`);
      }
    }),
  );
  return working;
}

const tokenOf = (path: string): string => path.split('/').at(-1) ?? '';

describe('with everything that the database contains', () => {
  let dump: Map<string, string>;
  beforeAll(async () => {
    dump = await dumpTables(installation.database);
  });

  test('a stranger opens no recorder, no page, and neither the console nor the API', async () => {
    for (const table of ['messages', 'webhook_messages', 'webhook_attempts', 'idempotency_keys', 'request_log']) {
      expect([...dump.keys()], table).toContain(`public.${table}`);
    }
    expect(await installation.database.query('select 1 from pg_largeobject_metadata')).toEqual([]);
    const tokens = new Set([...dump.values()].flatMap((text) => [...tokensIn(text)]));
    expect(tokens.size).toBeGreaterThan(100);
    expect(await findWorking(tokens)).toEqual([]);
    // The same search finds the links that work.
    const live = new Set(installation.livePaths.map(tokenOf));
    expect(await findWorking(live)).toHaveLength(live.size);
  });
});
