import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import type { Connection } from './db.ts';

const DIRECTORY = path.join(import.meta.dirname, '../../migrations');
// An arbitrary number that no other program on the same database uses.
const LOCK = 7_305_119_241;

interface Migration {
  name: string;
  sql: string;
  checksum: string;
}

export function readMigrations(): Migration[] {
  return fs
    .readdirSync(DIRECTORY)
    .filter((name) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name))
    .sort()
    .map((name) => {
      const sql = fs.readFileSync(path.join(DIRECTORY, name), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    });
}

class MigrationError extends Error {}

/** Applies new migrations, one node at a time. Each runs in one transaction with the row that records it. */
export async function migrate(connection: Connection): Promise<void> {
  const client = new pg.Client({ ...connection, application_name: 'foreword migrate' });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    await client.query('create table if not exists migrations (name text primary key, checksum text not null)');
    const done = await client.query<{ name: string; checksum: string }>('select name, checksum from migrations');
    const checksums = new Map(done.rows.map((row) => [row.name, row.checksum]));
    for (const { name, sql, checksum } of readMigrations()) {
      const known = checksums.get(name);
      if (known === checksum) continue;
      if (known !== undefined)
        throw new MigrationError(`${name} was changed after it was applied; restore it and add a new one`);
      await client.query(`begin; ${sql}; insert into migrations values ('${name}', '${checksum}'); commit`);
    }
  } finally {
    // Ending the connection releases the lock, also after a failed migration.
    await client.end();
  }
}

/** True when every migration of this version was applied. */
export async function isMigrated(pool: pg.Pool): Promise<boolean> {
  const wanted = readMigrations().map(({ name }) => name);
  const { rows } = await pool.query<{ n: number }>('select count(*)::int as n from migrations where name = any($1)', [
    wanted,
  ]);
  return rows[0]?.n === wanted.length;
}
