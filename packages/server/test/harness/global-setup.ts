import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres.ts';
import { startCommandServer } from './command-server.ts';
import { databaseUrl, TEMPLATE } from './database.ts';
import { startService } from './service.ts';

declare module 'vitest' {
  interface ProvidedContext {
    socketDir: string;
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

/** One PostgreSQL for the whole run, with one migrated database that each test file clones. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = fs.mkdtempSync(path.join(chooseParent(), 'foreword-test-'));
  const server = await startEmbeddedPostgres({
    dataDir,
    settings: { synchronous_commit: 'off', max_connections: '300', max_wal_size: '256MB' },
  });
  const socketDir = server.connection.host;
  const client = new pg.Client(server.connection);
  await client.connect();
  await client.query(`create database ${TEMPLATE}`);
  await client.end();
  // The service migrates the template like any new database, including the job queue's tables.
  const service = await startService({ DATABASE_URL: databaseUrl(socketDir, TEMPLATE), FOREWORD_DEMO: 'off' });
  await service.stop();
  const commandServer = path.join(socketDir, 'commands');
  const stopCommandServer = await startCommandServer(commandServer);
  project.provide('socketDir', socketDir);
  project.provide('commandServer', commandServer);
  return async () => {
    await stopCommandServer();
    await server.stop();
    fs.rmSync(dataDir, { recursive: true, force: true });
  };
}
