import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { migrate, readMigrations } from '../../src/platform/migrate.ts';

const NAME = 'migrate_test';
const connection = () => ({ host: inject('socketDir'), user: 'foreword', database: NAME });

async function query(database: string, text: string) {
  const client = new pg.Client({ ...connection(), database });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

test('every migration has a number of its own', () => {
  const numbers = readMigrations().map(({ name }) => name.slice(0, 4));
  expect(new Set(numbers).size).toBe(numbers.length);
});

describe('migrate', () => {
  beforeAll(() => query('postgres', `create database ${NAME}`));
  afterAll(() => query('postgres', `drop database ${NAME} with (force)`));

  test('applies each migration once when several nodes start on an empty database at the same time', async () => {
    await Promise.all(Array.from({ length: 6 }, () => migrate(connection())));
    const done = await query(NAME, 'select name from migrations order by name');
    expect(done.map(({ name }) => name)).toEqual(readMigrations().map(({ name }) => name));
  });

  test('rejects a migration that was changed after it was applied, and names it', async () => {
    const [first] = readMigrations();
    await query(NAME, `update migrations set checksum = 'other' where name = '${first?.name}'`);
    await expect(migrate(connection())).rejects.toThrow(`${first?.name} was changed`);
    await query(NAME, `update migrations set checksum = '${first?.checksum}' where name = '${first?.name}'`);
    await expect(migrate(connection())).resolves.toBeUndefined();
  });
});
