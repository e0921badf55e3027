import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from '../../src/db/embedded-postgres/index.ts';
import { startCommandServer } from './command-server.ts';
import { databaseUrl, TEMPLATE } from './database.ts';
import { startDebianPostgres } from './debian-postgres.ts';
import { type PgBouncer, type PoolMode, startPgBouncer } from './pgbouncer.ts';
import { startService } from './service.ts';
import { temporaryFolders } from './temporary-folder.ts';

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

/** Creating a database forces a checkpoint, after which each page is logged whole; compressing those pages costs CPU time. */
const SETTINGS = { synchronous_commit: 'off', max_connections: '300', max_wal_size: '256MB', wal_compression: 'off' };
/** Few server connections, so that transactions of one client run on several. In a session, each client needs its own. */
const POOL_SIZES: Record<PoolMode, number> = { transaction: 4, session: 100 };

interface TestServer {
  readonly socketDir: string;
  readonly pooler: { readonly socketDir: string; readonly mode: PoolMode } | null;
  stop(): Promise<void>;
}

type OpenedServer = Pick<TestServer, 'socketDir' | 'stop'>;

async function startPostgres(dataDir: string, isOldest: boolean): Promise<OpenedServer> {
  if (isOldest) return startDebianPostgres({ folder: path.join(dataDir, 'pg15'), settings: SETTINGS });
  const server = await startEmbeddedPostgres({ dataDir, settings: SETTINGS });
  return { socketDir: server.connection.host, stop: () => server.stop() };
}

/** The databases that the acceptance tests can run on. PostgreSQL 15 is the oldest supported version. */
const DATABASES: Readonly<Record<string, { isOldest: boolean; pooler?: PoolMode }>> = {
  embedded: { isOldest: false },
  postgresql15: { isOldest: true },
  'pgbouncer-session': { isOldest: false, pooler: 'session' },
  'pgbouncer-transaction': { isOldest: true, pooler: 'transaction' },
};

async function startServer(dataDir: string, choice: string): Promise<TestServer> {
  const database = DATABASES[choice];
  if (database === undefined)
    throw new Error(`FOREWORD_TEST_DATABASE is ${choice}, not one of ${Object.keys(DATABASES).join(', ')}`);
  const server = await startPostgres(dataDir, database.isOldest);
  const { pooler: mode } = database;
  if (mode === undefined) return { ...server, pooler: null };
  let bouncer: PgBouncer;
  try {
    const folder = path.join(dataDir, 'pgbouncer');
    bouncer = await startPgBouncer({ folder, serverSocketDir: server.socketDir, mode, poolSize: POOL_SIZES[mode] });
  } catch (error) {
    await server.stop();
    throw error;
  }
  return {
    socketDir: server.socketDir,
    pooler: { socketDir: bouncer.socketDir, mode },
    async stop() {
      await bouncer.stop();
      await server.stop();
    },
  };
}

/** One PostgreSQL for all files of a project, with one migrated database that each file clones. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = fs.mkdtempSync(path.join(chooseParent(), 'foreword-test-'));
  const choice = project.name.startsWith('acceptance') ? process.env.FOREWORD_TEST_DATABASE : undefined;
  const server = await startServer(dataDir, choice ?? 'embedded');
  const { socketDir } = server;
  const client = new pg.Client({ host: socketDir, user: 'foreword', database: 'postgres' });
  await client.connect();
  await client.query(`create database ${TEMPLATE}`);
  await client.end();
  // The service migrates the template like any new database.
  const commandServer = path.join(socketDir, 'commands');
  const [service, stopCommandServer] = await Promise.all([
    startService({ DATABASE_URL: databaseUrl(socketDir, TEMPLATE), FOREWORD_DEMO: 'off' }),
    startCommandServer(commandServer),
  ]);
  await service.stop();
  project.provide('socketDir', socketDir);
  project.provide('pooler', server.pooler);
  project.provide('commandServer', commandServer);
  return async () => {
    await stopCommandServer();
    await server.stop();
    for (const folder of [dataDir, temporaryFolders(process.pid)]) fs.rmSync(folder, { recursive: true, force: true });
  };
}
