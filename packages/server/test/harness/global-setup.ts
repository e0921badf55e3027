import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres.ts';
import { databaseUrl, TEMPLATE } from './database.ts';
import { openDesk } from './desk.ts';
import { startService } from './service.ts';

declare module 'vitest' {
  interface ProvidedContext {
    socketDir: string;
    /** Where commands are ordered. */
    desk: string;
  }
}

const MEMORY = '/dev/shm';
/** Several times of what a run has needed at once. */
const NEEDED_BYTES = 2_000_000_000;

/** Lost with the run: there is nothing to keep, and two cores have better things to do than to wait for a disk. */
function chooseParent(): string {
  if (!fs.existsSync(MEMORY) || os.freemem() < NEEDED_BYTES) return os.tmpdir();
  const { bavail, bsize } = fs.statfsSync(MEMORY);
  return bavail * bsize < NEEDED_BYTES ? os.tmpdir() : MEMORY;
}

/** One PostgreSQL for the whole run, and in it one migrated database that each test file clones. */
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
  // The service prepares the template as it would prepare any new database, the job queue's tables included.
  const service = await startService({ DATABASE_URL: databaseUrl(socketDir, TEMPLATE), FOREWORD_DEMO: 'off' });
  await service.stop();
  const desk = path.join(socketDir, 'desk');
  const closeDesk = await openDesk(desk);
  project.provide('socketDir', socketDir);
  project.provide('desk', desk);
  return async () => {
    await closeDesk();
    await server.stop();
    fs.rmSync(dataDir, { recursive: true, force: true });
  };
}
