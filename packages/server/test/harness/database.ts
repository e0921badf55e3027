import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';

export const TEMPLATE = 'foreword_template';

export const databaseUrl = (socketDir: string, name: string) =>
  `postgresql:///${name}?host=${encodeURIComponent(socketDir)}&user=foreword`;

/** The database settings that FOREWORD_TEST_DATABASE selects. */
function databaseSettings(name: string): Record<string, string> {
  const direct = databaseUrl(inject('socketDir'), name);
  const pooler = inject('pooler');
  if (pooler === null) return { DATABASE_URL: direct };
  const pooled = databaseUrl(pooler.socketDir, name);
  // A session pooler needs no second address.
  return pooler.mode === 'session' ? { DATABASE_URL: pooled } : { DATABASE_URL: pooled, DATABASE_DIRECT_URL: direct };
}

/** Runs statements on any database, and returns the rows of the last. */
export async function runSql<Row extends pg.QueryResultRow>(url: string, ...statements: string[]): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    let rows: Row[] = [];
    for (const statement of statements) rows = (await client.query<Row>(statement)).rows;
    return rows;
  } finally {
    await client.end();
  }
}

export const asAdministrator = (statement: string) => runSql(databaseUrl(inject('socketDir'), 'postgres'), statement);

export type TestDatabase = Awaited<ReturnType<typeof createTestDatabase>>;

/** A separate database for a test file, cloned from the migrated template in a few dozen milliseconds. */
export async function createTestDatabase(template = TEMPLATE) {
  const name = `test_${randomBytes(6).toString('hex')}`;
  // The default strategy logs each page, which takes eight times as long.
  await asAdministrator(`create database ${name} template ${template} strategy file_copy`);
  const url = databaseUrl(inject('socketDir'), name);
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  pool.on('error', () => undefined);
  const query = async <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []) =>
    (await pool.query<Row>(text, values)).rows;
  return {
    /** A direct connection, for the test itself. */
    url,
    /** The settings of a service and its commands: through PgBouncer if the run uses it. */
    environment: databaseSettings(name),
    /** Runs a template, whose values become parameters. */
    sql: <Row extends pg.QueryResultRow>(parts: TemplateStringsArray, ...values: unknown[]) =>
      query<Row>(
        parts.reduce((text, part, n) => `${text}$${n}${part}`),
        values,
      ),
    query,
    async drop() {
      await pool.end();
      await asAdministrator(`drop database ${name} with (force)`);
    },
  };
}
