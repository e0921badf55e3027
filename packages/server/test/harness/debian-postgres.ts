import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { sleep } from './service.ts';
import { collectText } from './streams.ts';

const run = promisify(execFile);

/** The oldest major version that we support, which is Debian's. */
const BIN = '/usr/lib/postgresql/15/bin';
const START_LIMIT_MS = 20_000;
const POLL_MS = 50;

/** As root, another user: PostgreSQL refuses to run as root. */
async function chooseIdentity(): Promise<{ uid?: number; gid?: number }> {
  if (process.getuid?.() !== 0) return {};
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map(async (flag) => Number((await run('id', [flag, 'nobody'])).stdout)),
  );
  return { ...(uid !== undefined && { uid }), ...(gid !== undefined && { gid }) };
}

/** Debian's PostgreSQL 15 with its data in `folder`, on a Unix socket, or also on a port of the loopback with `port`. */
export async function startDebianPostgres(options: {
  folder: string;
  settings?: Record<string, string>;
  port?: number;
  initdb?: readonly string[];
  /** Called with the data folder before the server starts. */
  prepare?: (data: string, identity: { uid?: number; gid?: number }) => void | Promise<void>;
}) {
  if (!fs.existsSync(`${BIN}/postgres`)) throw new Error(`${BIN}/postgres not found: apt-get install postgresql-15`);
  const { folder } = options;
  const identity = await chooseIdentity();
  const data = path.join(folder, 'data');
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  // The user needs a way to the folder, but not its content.
  fs.chmodSync(path.dirname(folder), 0o711);
  if (identity.uid !== undefined && identity.gid !== undefined) fs.chownSync(folder, identity.uid, identity.gid);
  const as = { cwd: folder, ...identity };
  if (!fs.existsSync(data)) {
    const flags = ['-D', data, '-U', 'foreword', '-A', 'trust', '--no-sync', ...(options.initdb ?? ['-E', 'UTF8'])];
    await run(`${BIN}/initdb`, [...flags, '--locale', 'C'], as);
  }
  await options.prepare?.(data, identity);
  const settings = {
    listen_addresses: options.port === undefined ? '' : '127.0.0.1',
    ...(options.port !== undefined && { port: String(options.port) }),
    unix_socket_directories: folder,
    timezone: 'UTC',
    ...options.settings,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn(`${BIN}/postgres`, ['-D', data, ...flags], { ...as, stdio: ['ignore', 'pipe', 'pipe'] });
  const log = collectText(child.stdout, child.stderr);
  const exited = once(child, 'exit');
  await waitUntilReady({ host: folder, port: options.port ?? 5432 }, () => {
    if (child.exitCode !== null) throw new Error(`PostgreSQL exited at startup: ${log()}`);
  });
  return {
    socketDir: folder,
    /** Everything it logged so far. */
    log,
    async stop() {
      // A fast shutdown: disconnects clients.
      child.kill('SIGINT');
      await exited;
    },
  };
}

async function waitUntilReady(address: { host: string; port: number }, check: () => void): Promise<void> {
  for (let waited = 0; waited < START_LIMIT_MS; waited += POLL_MS) {
    check();
    const client = new pg.Client({ ...address, user: 'foreword', database: 'postgres' });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.end();
      return;
    } catch {
      await sleep(POLL_MS);
    }
  }
  throw new Error('PostgreSQL was not ready in time');
}
