import { INTRO_PROBLEMS } from '@foreword/contract';
import { expect, test } from 'vitest';
import { listOutbox } from '../../src/delivery/index.ts';
import { searchEvents } from '../../src/intros/events/index.ts';
import { countOpenByTouchpoint, findLongestRecipient, searchIntros } from '../../src/intros/index.ts';
import { testTenant } from '../../src/organizations/index.ts';
import { readRows, readShapes } from '../../src/privacy/archive/store.ts';
import { eraseEvents } from '../../src/privacy/erasure/store/erasures.ts';
import { eventually, introOfEvent } from '../acceptance/support/actions.ts';
import { openPool } from '../db/fixture.ts';
import { forFile, openService } from '../harness/index.ts';

const ROWS = 20_000;
const SMALL_ORGANIZATIONS = 50;
const ROWS_OF_SMALL = 400;
/** Rows that the service's workers read at the same time. */
const OTHER_READS = 1_000;
/** Scanned for a page, and once more to find where the next page starts. */
const twice = (rows: number) => 2 * rows + OTHER_READS;

const fixture = await forFile(openService());
const tenant = testTenant(fixture.organization.id);

/** Copies a row for a large organization and for small ones, mixed as in a table that grew. */
async function copyRow(table: string, id: string, changes = "'{}'::jsonb"): Promise<void> {
  await fixture.database.query(
    `insert into ${table}
     select r.* from ${table} t,
       (select '${tenant.organizationId}' as id, ${ROWS} as rows
        union all select 'org_small_' || n, ${ROWS_OF_SMALL} from generate_series(1, ${SMALL_ORGANIZATIONS}) n) o,
       generate_series(1, o.rows) n,
       jsonb_populate_record(t, ${changes} || jsonb_build_object('organization_id', o.id,
         'id', left(t.id, 4) || lpad(n::text, 26, '0'))) r
     where t.id = $1
     order by md5(o.id || n)`,
    [id],
  );
  await fixture.database.query(`analyze ${table}`);
}

const intro = await introOfEvent(fixture.api);
const [message] = await eventually(
  () => fixture.database.query<{ id: string }>("select id from all_messages where status = 'failed'"),
  (rows) => rows.length > 0,
);
const [event] = await fixture.database.query<{ id: string }>('select id from touchpoint_events');
await copyRow('touchpoint_events', event?.id ?? '');
const status = "(array['requested', 'ready', 'sent', 'cancelled', 'expired'])[n % 5 + 1]";
await copyRow('intros', intro.id, `jsonb_build_object('event_id', null, 'status', ${status})`);
await copyRow('messages', message?.id ?? '', "jsonb_build_object('intro_id', 'int_' || o.id || n)");
/** A single connection, because each one counts its own reads. */
const db = await forFile(Promise.resolve(openPool(fixture.database.url, { max: 1, keyedPlans: true })));

async function countReads(table: string): Promise<number> {
  await db.pool.query('select pg_stat_force_next_flush()');
  const { rows } = await db.pool.query<{ reads: number }>(
    'select (seq_tup_read + idx_tup_fetch)::int as reads from pg_stat_user_tables where relname = $1',
    [table],
  );
  return rows[0]?.reads ?? Number.NaN;
}

async function readsOf(table: string, work: () => Promise<unknown>): Promise<number> {
  const before = await countReads(table);
  await work();
  return (await countReads(table)) - before;
}

const ANY = { statuses: [], memberId: undefined, touchpoint: undefined, from: undefined, until: undefined };
const PAGE = { after: undefined, limit: 50 };

test('a search of events in a large organization reads the newest 1,500, not all', async () => {
  const search = { ...ANY, ...PAGE, text: 'Nosuchname' };
  expect(await readsOf('touchpoint_events', () => searchEvents(db.kysely, tenant, search))).toBeLessThan(twice(1_500));
});

test('a search of intros by a name that all have reads 1,000 by name and then the newest 2,500', async () => {
  const term = { kind: 'first_name', prefix: 'd' } as const;
  const search = { ...ANY, ...PAGE, referenceId: undefined, terms: [term] };
  const reads = await readsOf('intros', async () => {
    expect((await searchIntros(db.kysely, tenant, search)).ids).toHaveLength(PAGE.limit);
  });
  expect(reads).toBeLessThan(1_000 + twice(2_500));
});

test.each([
  ['the last digits of a number', { terms: [{ kind: 'phone_end', digits: '9999' }] }],
  ['a name without accents and punctuation', { terms: [{ kind: 'last_name', prefix: 'oshaughnessy' }] }],
  ['a problem', { terms: [], problems: { kinds: INTRO_PROBLEMS, since: new Date() } }],
] as const)('a search of intros by %s reads only those that match', async (_what, found) => {
  const search = { ...ANY, ...PAGE, referenceId: undefined, ...found };
  expect(await readsOf('intros', () => searchIntros(db.kysely, tenant, search))).toBeLessThan(OTHER_READS);
});

test('the outbox of a large organization reads the newest 4,000 messages for a rare status', async () => {
  const search = { ...PAGE, statuses: ['undelivered'], audiences: [] } as const;
  expect(await readsOf('messages', () => listOutbox(db.kysely, tenant, search))).toBeLessThan(twice(4_000));
});

test('the count of open intros by touchpoint reads at most 5,000 of each status', async () => {
  expect(await readsOf('intros', () => countOpenByTouchpoint(db.kysely, tenant))).toBeLessThan(8_000 + OTHER_READS);
});

test('the longest name is looked for among the newest 1,000 intros', async () => {
  const reads = await readsOf('intros', () => findLongestRecipient(db.kysely, tenant, 1_000));
  expect(reads).toBeLessThan(1_000 + OTHER_READS);
});

test.each(['touchpoint_events', 'messages'] as const)(
  'the export of one recipient reads no %s of others',
  async (name) => {
    const shape = (await readShapes(db.kysely, [name])).get(name);
    if (shape === undefined) throw new Error(`there is no table ${name}`);
    const scope = { tenant, phone: '+14155550999' };
    const read = () =>
      db.kysely.transaction().execute(async (tx) => {
        expect(await Array.fromAsync(readRows(tx, name, shape, scope))).toEqual([]);
      });
    expect(await readsOf(name, read)).toBeLessThan(OTHER_READS);
  },
);

test('an erasure reads no events of others', async () => {
  const erasing = { erasureId: 'ers_1', phone: '+14155550999', by: null, now: new Date() };
  const erase = () => db.kysely.transaction().execute((tx) => eraseEvents(tx, tenant, ['evt_none'], erasing));
  expect(await readsOf('touchpoint_events', erase)).toBeLessThan(OTHER_READS);
});
