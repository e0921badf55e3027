import type { ChildProcess } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { findRunningPostgres } from '../packages/server/src/platform/embedded-postgres.ts';
import { exitOf, freePort, makeFolder, outputOf, startProcess } from './children.ts';

const ROOT = join(import.meta.dirname, '..');
const COMMAND = join(import.meta.dirname, '../packages/server/bin/foreword.mjs');
const READY_LIMIT_MS = 60_000;
const READY_POLL_MS = 5;

export interface Service {
  readonly url: string;
  readonly child: ChildProcess;
  /** From the start of the process to the first 200 on /readyz. */
  readonly readyMs: number;
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/readyz`)).status === 200;
  } catch {
    return false;
  }
}

/** The command of `npm start`, without npm and the check of Node: the same variable, flags and program. */
function readStartCommand(): { args: string[]; env: Record<string, string> } {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: { start: string } };
  const [, name = '', folder = '', rest = ''] = /(\w+)=(\S+) exec node (.*)$/.exec(scripts.start) ?? [];
  if (name !== 'NODE_COMPILE_CACHE')
    throw new Error(`the bench cannot read the command of npm start: ${scripts.start}`);
  return {
    args: rest.split(' ').map((word) => (word.endsWith('.ts') ? join(ROOT, word) : word)),
    env: { [name]: join(ROOT, folder) },
  };
}

/** Starts the service as an operator does, but without the rate limit. Logs to a file. */
export async function startService(options: {
  dataDir: string;
  environment?: Record<string, string>;
  nodeOptions?: string[];
}): Promise<Service> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const log = openSync(join(options.dataDir, 'service.log'), 'a');
  const command = readStartCommand();
  const env = {
    ...command.env,
    PORT: `${port}`,
    DATA_DIR: options.dataDir,
    RATE_LIMIT: 'off',
    FOREWORD_DEMO: 'off',
    ...options.environment,
  };
  const started = performance.now();
  const child = startProcess(process.execPath, [...(options.nodeOptions ?? []), ...command.args], {
    env,
    stdout: log,
  });
  let ended = false;
  void exitOf(child).then(() => {
    ended = true;
  });
  while (!(await isReady(url))) {
    if (ended) throw new Error('the service ended before it was ready');
    if (performance.now() - started > READY_LIMIT_MS) throw new Error('the service was not ready in time');
    await sleep(READY_POLL_MS);
  }
  return { url, child, readyMs: performance.now() - started };
}

/** Runs an operator command and returns the object it prints. */
async function runCommand(env: Record<string, string>, words: string[]): Promise<Record<string, string>> {
  const printed = await outputOf(process.execPath, [COMMAND, ...words, '--json'], env);
  return JSON.parse(printed) as Record<string, string>;
}

const MANY_TEXTS = '1000000';

interface Preparation {
  /** The member's number, to which texts are sent at any time and without a limit. Without it, the member gets emails. */
  readonly phone?: string;
}

/** Creates an organization with the member that the events name, and returns its API key. */
export async function createOrganization(
  environment: Record<string, string>,
  { phone }: Preparation = {},
): Promise<string> {
  const run = (...words: string[]) => runCommand(environment, words);
  const { id = '' } = await run('org', 'create', '--name', 'Acme Roofing', '--industry', 'exterior_remodeling');
  const names = ['--first-name', 'Ana', '--last-name', 'Ng', '--email', 'ana@acme.example'];
  await run('member', 'create', '--org', id, ...names, ...(phone ? ['--phone', phone] : []), '--external-id', 'rep_17');
  if (phone !== undefined) {
    const hours = ['--texts-from', '00:00', '--texts-until', '24:00'];
    const limits = ['--daily-texts', '--daily-texts-per-member', '--daily-texts-per-recipient'];
    await run('delivery', 'set', '--org', id, ...hours, ...limits.flatMap((limit) => [limit, MANY_TEXTS]));
  }
  const { key = '' } = await run('key', 'create', '--org', id);
  return key;
}

/** Creates a data folder with an organization. */
export async function prepareDataDir(
  environment: Record<string, string> = {},
  preparation: Preparation = {},
): Promise<{ dataDir: string; key: string }> {
  const dataDir = makeFolder();
  return { dataDir, key: await createOrganization({ ...environment, DATA_DIR: dataDir }, preparation) };
}

/** Creates a one-time console sign-in link for a member. */
export async function signInLink(dataDir: string, organization: string, email: string): Promise<string> {
  const { url = '' } = await runCommand({ DATA_DIR: dataDir }, ['signin', '--org', organization, '--email', email]);
  return url;
}

/** Opens one connection to the running service's database. */
export async function connectToDatabase(dataDir: string): Promise<pg.Client> {
  const connection = await findRunningPostgres(dataDir);
  if (connection === null) throw new Error('the database is not running');
  const client = new pg.Client({ ...connection, application_name: 'bench' });
  // The server closes connections when it stops; pending queries then fail on their own.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

async function readNumber(database: pg.Client, text: string): Promise<number> {
  const { rows } = await database.query<{ n: number }>(text);
  return rows[0]?.n ?? Number.NaN;
}

export const countEvents = (database: pg.Client) =>
  readNumber(database, 'select count(*)::int as n from touchpoint_events');

export const countWaiting = (database: pg.Client) =>
  readNumber(database, "select count(*)::int as n from touchpoint_events where status = 'accepted'");

const DRAIN_POLL_MS = 250;

export interface Drained {
  /** Events waiting at the start. */
  readonly waiting: number;
  /** Infinite if the limit was exceeded. */
  readonly seconds: number;
  /** The longest time without progress. Long when a worker was not woken. */
  readonly longestPauseS: number;
}

export async function drain(database: pg.Client, limitS: number): Promise<Drained> {
  const started = performance.now();
  const seconds = () => (performance.now() - started) / 1000;
  const first = await countWaiting(database);
  let waiting = first;
  let movedAt = 0;
  let longestPauseS = 0;
  while (waiting > 0 && seconds() < limitS) {
    await sleep(DRAIN_POLL_MS);
    const now = await countWaiting(database);
    longestPauseS = Math.max(longestPauseS, seconds() - movedAt);
    if (now < waiting) movedAt = seconds();
    waiting = now;
  }
  return { waiting: first, seconds: waiting === 0 ? seconds() : Number.POSITIVE_INFINITY, longestPauseS };
}
