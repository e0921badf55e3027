import { CompiledQuery } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '../../src/db/pools.ts';
import { inputRows, planned } from '../../src/db/statements.ts';
import type { Tables, Tenant } from '../../src/db/tenancy.ts';
import { takeDue } from '../../src/delivery/store/queue.ts';
import { findEvent } from '../../src/intros/events/store.ts';
import { insertLinks } from '../../src/intros/links/store.ts';
import { countOpen, readListRows } from '../../src/intros/store/search.ts';
import { findIntro } from '../../src/intros/store.ts';
import { findForMember } from '../../src/recordings/store/member-view.ts';
import { openPool } from '../db/fixture.ts';
import { createTestDatabase, forFile } from '../harness/index.ts';

const TENANT: Tenant = { organizationId: 'org_1', environment: 'test' };

let db: Database<Tables>;
const database = await forFile(createTestDatabase(), (opened) => opened.drop());
beforeEach(() => {
  db = openPool(database.url, { max: 1 });
});
afterEach(() => db.close());

/** How often each statement that this connection planned once was run. */
async function plannedCalls(): Promise<number[]> {
  const { rows } = await db.pool.query<{ calls: number }>(
    'select (generic_plans + custom_plans)::int as calls from pg_prepared_statements',
  );
  return rows.map(({ calls }) => calls);
}

test('a statement is planned once for each connection, in transactions and without', async () => {
  const ADD = planned('select $1::int + 1 as n');
  const add = (n: number) => CompiledQuery.raw(ADD, [n]);
  expect((await db.kysely.executeQuery(add(1))).rows).toEqual([{ n: 2 }]);
  const again = await db.kysely.transaction().execute((tx) => tx.executeQuery(add(2)));
  expect(again.rows).toEqual([{ n: 3 }]);
  expect((await db.pool.query(ADD, [3])).rows).toEqual([{ n: 4 }]);
  expect(await plannedCalls()).toEqual([3]);
});

test('rows arrive as they were given, whatever their text contains', async () => {
  const input = inputRows('r', {
    text: 'text',
    number: 'smallint',
    flag: 'boolean',
    at: 'timestamptz',
    bytes: 'bytea',
    nothing: 'text',
  });
  const at = new Date('2026-03-10T09:15:00.007Z');
  const texts = ['', 'NULL', 'null', '{a,b}', 'a,b', ' a ', '"', "'", '\\', '\\"', 'a\nb\tc', 'é 👋', null];
  for (const text of texts) {
    const rows = [
      { text, number: -1, flag: true, at, bytes: Buffer.from('\\"'), nothing: null },
      { text: 'plain', number: null, flag: null, at: null, bytes: null, nothing: null },
    ];
    const found = await db.pool.query(`select * from ${input.text}`, input.values(rows));
    expect(found.rows).toEqual(rows);
  }
  expect((await db.pool.query(`select * from ${input.text}`, input.values([]))).rows).toEqual([]);
});

test('links are inserted with one statement, however many there are', async () => {
  const link = (n: number) =>
    ({ tenant: TENANT, introId: `int_${n}`, kind: 'record', hash: Buffer.from([n]) }) as const;
  for (const count of [1, 2, 7])
    await insertLinks(
      db.kysely,
      Array.from({ length: count }, (_, n) => link(n)),
    );
  expect(await database.query('select count(*)::int as n from links')).toEqual([{ n: 7 }]);
  expect(await plannedCalls()).toEqual([3]);
});

describe.each([
  [
    'take due messages',
    'message_queue',
    () => db.kysely.transaction().execute((tx) => takeDue(tx, new Date(), [{ tenant: TENANT, share: 10 }])),
  ],
  ['read intros', 'intros', () => findIntro(db.kysely, TENANT, 'int_1')],
  ['read rows of intros', 'intros', () => readListRows(db.kysely, TENANT, ['int_1'])],
  [
    'count open intros',
    'intros',
    () => countOpen(db.kysely, TENANT, { memberId: undefined, since: new Date(), atMost: 9 }),
  ],
  ['read an intro for its member', 'intros', () => findForMember(db.kysely, TENANT, 'int_1')],
  ['read events', 'touchpoint_events', () => findEvent(db.kysely, TENANT, 'evt_1')],
] as const)('%s', (_name, table, run) => {
  test('works on the same connection after a newer version added a column', async () => {
    await run();
    await run();
    await database.query(`alter table ${table} add column from_a_newer_version text`);
    await expect(run()).resolves.toBeDefined();
    expect(await plannedCalls()).toEqual([3]);
    await database.query(`alter table ${table} drop column from_a_newer_version`);
  });
});
