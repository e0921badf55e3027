import type { ChildProcess } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { findRunningPostgres, startEmbeddedPostgres } from '../packages/server/src/db/embedded-postgres/index.ts';
import { EVENT_BODY, EVENTS_PATH } from './load.ts';
import { atEnd, freePort, makeFolder, outputOf, startPart, startProcess, stop } from './processes.ts';

const ROOT = join(import.meta.dirname, '..');
const COMMAND = join(ROOT, 'packages/server/bin/foreword.mjs');
const READY_LIMIT_MS = 180_000;
const READY_POLL_MS = 5;
const MANY_TEXTS = '1000000';

type Environment = Readonly<Record<string, string>>;

/** A data folder with an organization, and the environment of its service. */
export interface Prepared {
  readonly dataDir: string;
  readonly environment: Environment;
  /** An API key. */
  readonly key: string;
  readonly organization: string;
}

/** A running service, with the data that was prepared for it. */
export interface Site extends Prepared {
  readonly url: string;
  readonly child: ChildProcess;
  /** From the start of the process to the first 200 on /readyz. */
  readonly readyMs: number;
  readonly database: pg.Client;
  close(): Promise<void>;
}

/** Runs an operator command and returns the object it prints. */
export async function runCommand(
  { dataDir, environment }: Pick<Prepared, 'dataDir' | 'environment'>,
  ...words: string[]
): Promise<Record<string, string>> {
  const env = { ...environment, DATA_DIR: dataDir };
  return JSON.parse(await outputOf(process.execPath, [COMMAND, ...words, '--json'], env)) as Record<string, string>;
}

/**
 * Creates an organization with the member that the events name. `phone`: the member's number, to which texts are sent at any time
 * and without a limit. Without it, the member gets emails.
 */
export async function prepare(environment: Environment = {}, phone = ''): Promise<Prepared> {
  const place = { dataDir: makeFolder(), environment };
  // Only a start creates a database.
  if (environment.DATABASE_URL === undefined) await stop((await startService(place)).child);
  const run = (...words: string[]) => runCommand(place, ...words);
  const { id = '' } = await run('org', 'create', '--name', 'Acme Roofing', '--industry', 'exterior_remodeling');
  const names = ['--first-name', 'Ana', '--last-name', 'Ng', '--email', 'ana@acme.example', '--role', 'owner'];
  const number = phone === '' ? [] : ['--phone', phone];
  await run('member', 'create', '--org', id, ...names, ...number, '--external-id', 'rep_17');
  if (phone !== '') {
    const hours = ['--texts-from', '00:00', '--texts-until', '24:00'];
    const limits = ['--daily-texts', '--daily-texts-per-member', '--daily-texts-per-recipient'];
    await run('delivery', 'set', '--org', id, ...hours, ...limits.flatMap((limit) => [limit, MANY_TEXTS]));
  }
  const { key = '' } = await run('key', 'create', '--org', id);
  return { ...place, key, organization: id };
}

/** Another organization of the site, with a key and the member that the events name. */
export async function addOrganization(site: Site, name: string): Promise<Site> {
  const run = (...words: string[]) => runCommand(site, ...words);
  const { id: organization = '' } = await run('org', 'create', '--name', name, '--industry', 'exterior_remodeling');
  const names = ['--first-name', 'Bo', '--last-name', 'Ray', '--email', `bo@${name.toLowerCase()}.example`];
  await run('member', 'create', '--org', organization, ...names, '--external-id', 'rep_17');
  const { key = '' } = await run('key', 'create', '--org', organization);
  return { ...site, organization, key };
}

/** The command of `npm start`. */
const START: string = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).scripts.start;

const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/readyz`).then(
    ({ status }) => status === 200,
    () => false,
  );

/** Starts the service as an operator does, but without the rate limit. Logs to a file. */
export async function startService({
  dataDir,
  environment,
}: Pick<Prepared, 'dataDir' | 'environment'>): Promise<Pick<Site, 'url' | 'child' | 'readyMs'>> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const command = START.replace('exec node', `exec ${process.execPath}`);
  const started = performance.now();
  const child = startProcess('/bin/sh', ['-c', command], {
    cwd: ROOT,
    env: { PORT: `${port}`, DATA_DIR: dataDir, RATE_LIMIT: 'off', FOREWORD_DEMO: 'off', ...environment },
    stdout: openSync(join(dataDir, 'service.log'), 'a'),
  });
  while (!(await isReady(url))) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error('the service ended before it was ready');
    if (performance.now() - started > READY_LIMIT_MS) throw new Error('the service was not ready in time');
    await sleep(READY_POLL_MS);
  }
  return { url, child, readyMs: performance.now() - started };
}

/** A PostgreSQL apart from any service, with its statements counted. `urlOf` is the DATABASE_URL of one of its databases. */
export async function startDatabase(settings: Environment = {}) {
  const counted = { max_wal_size: '4GB', shared_preload_libraries: 'pg_stat_statements', ...settings };
  const server = await startEmbeddedPostgres({ dataDir: makeFolder(), settings: counted });
  atEnd(() => server.stop());
  const { host, user } = server.connection;
  const urlOf = (name: string) => `postgresql:///${name}?host=${encodeURIComponent(host)}&user=${user}`;
  return { server, urlOf };
}

export async function connectTo({ dataDir, environment }: Prepared): Promise<pg.Client> {
  const connection = environment.DATABASE_URL ?? (await findRunningPostgres(dataDir));
  if (connection === null) throw new Error('the database is not running');
  const client = new pg.Client(connection);
  // The server closes connections when it stops; pending queries then fail on their own.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

export async function openSite(prepared: Prepared): Promise<Site> {
  const service = await startService(prepared);
  const database = await connectTo(prepared);
  const close = async () => {
    await database.end();
    await stop(service.child);
  };
  return { ...prepared, ...service, database, close };
}

/** The ceiling of accepting: a bare Fastify that answers an event like this service. */
export async function startBare(site: Site): Promise<{ url: string; child: ChildProcess }> {
  const port = await freePort();
  const child = await startPart('bare-fastify.ts', [`${port}`, JSON.stringify(await postOneEvent(site))]);
  return { url: `http://127.0.0.1:${port}`, child };
}

/** Calls the API as the integration. Returns the body of the response. */
export async function call<T>(site: Site, method: string, path: string, body?: object | Buffer, type?: string) {
  const isJson = body !== undefined && !Buffer.isBuffer(body);
  const response = await fetch(site.url + path, {
    method,
    headers: {
      authorization: `Bearer ${site.key}`,
      'idempotency-key': `bench:${crypto.randomUUID()}`,
      ...(body !== undefined && { 'content-type': type ?? 'application/json' }),
    },
    ...(body !== undefined && { body: isJson ? JSON.stringify(body) : new Uint8Array(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${text}`);
  return JSON.parse(text) as T;
}

export const postOneEvent = (site: Site): Promise<{ id: string }> =>
  call(site, 'POST', EVENTS_PATH, JSON.parse(EVENT_BODY));

const SCRIPT = 'Hi Dana, this is Ana from Acme Roofing. I will be at your house on Tuesday. See you then.';

/** Requests an intro from the member that `prepare` created. */
export async function requestIntro(site: Site): Promise<string> {
  const { id } = await call<{ id: string }>(site, 'POST', '/v1/intros', {
    member: { external_id: 'rep_17' },
    recipient: { first_name: 'Dana', phone: '+14155550123' },
    instructions: { script: SCRIPT },
  });
  return id;
}

/** The phone number of the member that `prepareTexted` creates. */
const NUMBER = '+14155550100';
/** Texts to one number wait for each other, so that one member could not take them all. */
const MEMBERS = 90;
const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;

/** An organization whose members get texts through a carrier over HTTP. Its events take turns among `members`. */
export async function prepareTexted(environment: Environment = {}): Promise<Prepared & { readonly members: number }> {
  const port = await freePort();
  await startPart('carrier.ts', [`${port}`]);
  const carrier = { SMS_CARRIER: 'http', SMS_HTTP_URL: `http://127.0.0.1:${port}`, SMS_HTTP_SECRET: SECRET };
  const prepared = await prepare({ ...environment, ...carrier }, NUMBER);
  const site = await openSite(prepared);
  for (let n = 10; n < 10 + MEMBERS; n++) {
    // `prepare` created this one.
    if (n === 17) continue;
    const [email, phone] = [`rep${n}@acme.example`, `+141555501${n}`];
    const member = { external_id: `rep_${n}`, email, first_name: 'Ana', last_name: 'Ng', phone };
    await call(site, 'POST', '/v1/members', member);
  }
  await site.close();
  return { ...prepared, members: MEMBERS };
}

/** The path of the member's link to the intro. */
export async function readMemberPath(site: Site, id: string): Promise<string> {
  return new URL((await runCommand(site, 'intro', 'link', id)).url ?? '').pathname;
}

/** Signs in to the console as the owner. Returns the cookie. */
export async function signIn(site: Site): Promise<string> {
  const who = ['--org', site.organization, '--email', 'ana@acme.example'];
  const link = new URL((await runCommand(site, 'signin', ...who)).url ?? '');
  const headers = { origin: site.url, 'sec-fetch-site': 'same-origin' };
  const response = await fetch(site.url + link.pathname, { method: 'POST', headers, redirect: 'manual' });
  const cookie = response.headers.get('set-cookie')?.split(';')[0];
  if (cookie === undefined) throw new Error(`signing in returned ${response.status}`);
  return cookie;
}

export async function readNumber(database: pg.Client, text: string): Promise<number> {
  const { rows } = await database.query<{ n: number }>(text);
  return rows[0]?.n ?? Number.NaN;
}

const WAITING = 'select count(*)::int as n from waiting_events';
// Cheap, because it runs while the processor time is counted.
const UNSETTLED = `select (exists (select from waiting_events) or exists (
    select from organizations o cross join lateral (
      select from message_queue where organization_id = o.id and environment = 'test' and due_at <= now() limit 1
    ) due
  ))::int as n`;
const DRAIN_POLL_MS = 100;
const DRAIN_LIMIT_S = 120;

/** Waits until every event is an intro and, with `settled`, every due message is settled. Returns the seconds that it took. */
export async function drain(database: pg.Client, { settled = false } = {}): Promise<number> {
  const started = performance.now();
  const seconds = () => (performance.now() - started) / 1000;
  while ((await readNumber(database, settled ? UNSETTLED : WAITING)) > 0) {
    if (seconds() > DRAIN_LIMIT_S) throw new Error(`events or messages still wait after ${DRAIN_LIMIT_S} s`);
    await sleep(DRAIN_POLL_MS);
  }
  return seconds();
}
