import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres.ts';
import { databaseUrl, TEMPLATE } from './database.ts';
import { startService } from './service.ts';

declare module 'vitest' {
  interface ProvidedContext {
    socketDir: string;
  }
}

/** One PostgreSQL for the whole run, and in it one migrated database that each test file clones. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'foreword-test-'));
  // Lost with the run: there is nothing to keep, and two cores have better things to do than to wait for a disk.
  const server = await startEmbeddedPostgres({
    dataDir,
    settings: { fsync: 'off', synchronous_commit: 'off', max_connections: '300' },
  });
  const socketDir = server.connection.host;
  const client = new pg.Client(server.connection);
  await client.connect();
  await client.query(`create database ${TEMPLATE}`);
  await client.end();
  // The service prepares the template as it would prepare any new database, the job queue's tables included.
  const service = await startService({ DATABASE_URL: databaseUrl(socketDir, TEMPLATE), FOREWORD_DEMO: 'off' });
  await service.stop();
  project.provide('socketDir', socketDir);
  return async () => {
    await server.stop();
    fs.rmSync(dataDir, { recursive: true, force: true });
  };
}
