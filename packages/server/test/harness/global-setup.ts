import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres.ts';
import { startCommandServer } from './command-server.ts';
import { databaseUrl, TEMPLATE } from './database.ts';
import { startDebianPostgres } from './debian-postgres.ts';
import { type PgBouncer, type PoolMode, startPgBouncer } from './pgbouncer.ts';
import { startService } from './service.ts';

declare module 'vitest' {
  interface ProvidedContext {
    socketDir: string;
    /** Between the services and PostgreSQL, if FOREWORD_TEST_DATABASE asks for it. */
    pooler: { readonly socketDir: string; readonly mode: PoolMode } | null;
    /** The socket of the command server. */
    commandServer: string;
  }
}

const MEMORY = '/dev/shm';
/** Several times the peak of a run. */
const NEEDED_BYTES = 2_000_000_000;

/** In memory if there is space: the data is deleted after the run, and waiting for a disk costs time. */
function chooseParent(): string {
  if (!fs.existsSync(MEMORY) || os.freemem() < NEEDED_BYTES) return os.tmpdir();
  const { bavail, bsize } = fs.statfsSync(MEMORY);
  return bavail * bsize < NEEDED_BYTES ? os.tmpdir() : MEMORY;
}

const SETTINGS = { synchronous_commit: 'off', max_connections: '300', max_wal_size: '256MB' };
/** Few server connections, so that transactions of one client run on several. In a session, each client needs its own. */
const POOL_SIZES: Record<PoolMode, number> = { transaction: 4, session: 100 };

interface TestServer {
  readonly socketDir: string;
  readonly pooler: { readonly socketDir: string; readonly mode: PoolMode } | null;
  stop(): Promise<void>;
}

/** `FOREWORD_TEST_DATABASE`: the embedded PostgreSQL (default), Debian's, or the embedded one behind Debian's PgBouncer. */
async function startServer(dataDir: string): Promise<TestServer> {
  const chosen = process.env.FOREWORD_TEST_DATABASE ?? 'embedded';
  if (chosen === 'postgresql15') {
    const { socketDir, stop } = await startDebianPostgres({ folder: path.join(dataDir, 'pg15'), settings: SETTINGS });
    return { socketDir, pooler: null, stop };
  }
  const mode = ({ 'pgbouncer-session': 'session', 'pgbouncer-transaction': 'transaction' } as const)[chosen];
  if (mode === undefined && chosen !== 'embedded') throw new Error(`FOREWORD_TEST_DATABASE is unknown: ${chosen}`);
  const server = await startEmbeddedPostgres({ dataDir, settings: SETTINGS });
  const serverSocketDir = server.connection.host;
  if (mode === undefined) return { socketDir: serverSocketDir, pooler: null, stop: () => server.stop() };
  let bouncer: PgBouncer;
  try {
    const folder = path.join(dataDir, 'pgbouncer');
    bouncer = await startPgBouncer({ folder, serverSocketDir, mode, poolSize: POOL_SIZES[mode] });
  } catch (error) {
    await server.stop();
    throw error;
  }
  return {
    socketDir: serverSocketDir,
    pooler: { socketDir: bouncer.socketDir, mode },
    async stop() {
      await bouncer.stop();
      await server.stop();
    },
  };
}

/** One PostgreSQL for the whole run, with one migrated database that each test file clones. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = fs.mkdtempSync(path.join(chooseParent(), 'foreword-test-'));
  const server = await startServer(dataDir);
  const { socketDir } = server;
  const client = new pg.Client({ host: socketDir, user: 'foreword', database: 'postgres' });
  await client.connect();
  await client.query(`create database ${TEMPLATE}`);
  await client.end();
  // The service migrates the template like any new database, including the job queue's tables.
  const service = await startService({ DATABASE_URL: databaseUrl(socketDir, TEMPLATE), FOREWORD_DEMO: 'off' });
  await service.stop();
  const commandServer = path.join(socketDir, 'commands');
  const stopCommandServer = await startCommandServer(commandServer);
  project.provide('socketDir', socketDir);
  project.provide('pooler', server.pooler);
  project.provide('commandServer', commandServer);
  return async () => {
    await stopCommandServer();
    await server.stop();
    fs.rmSync(dataDir, { recursive: true, force: true });
  };
}
