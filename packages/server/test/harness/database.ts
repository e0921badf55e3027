import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';

export const TEMPLATE = 'foreword_template';

export const databaseUrl = (socketDir: string, name: string) =>
  `postgresql:///${name}?host=${encodeURIComponent(socketDir)}&user=foreword`;

export interface TestDatabase {
  readonly url: string;
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>;
  drop(): Promise<void>;
}

async function asAdministrator(statement: string): Promise<void> {
  const client = new pg.Client({ host: inject('socketDir'), user: 'foreword', database: 'postgres' });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** A separate database for a test file, cloned from the migrated template in a few dozen milliseconds. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await asAdministrator(`create database ${name} template ${TEMPLATE}`);
  const url = databaseUrl(inject('socketDir'), name);
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  pool.on('error', () => undefined);
  return {
    url,
    query: async <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []) =>
      (await pool.query<Row>(text, values)).rows,
    async drop() {
      await pool.end();
      await asAdministrator(`drop database ${name} with (force)`);
    },
  };
}
