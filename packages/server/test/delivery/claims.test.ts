import { sql, type Transaction } from 'kysely';
import { expect, test } from 'vitest';
import type { Tables, Tenant } from '../../src/db/tenancy.ts';
import { shareOut } from '../../src/delivery/queue/engine.ts';
import { changeMessages, listWaiting, takeDue } from '../../src/delivery/store/queue.ts';
import { forFile } from '../harness/index.ts';
import { openDelivery } from './delivery-fixture.ts';

const fixture = await forFile(openDelivery('2026-06-10T17:00:00Z'));

/** An organization with this many due messages. */
async function organizationWith(due: number): Promise<Tenant> {
  const { tenant, memberId: member } = await fixture.createOrganization();
  const id = await fixture.createIntro({ tenant, member });
  await schedule(tenant, id, due - 1);
  return tenant;
}

/** Schedules further messages of the intro. */
async function schedule({ organizationId }: Tenant, intro: string, count: number): Promise<void> {
  await fixture.database.query(
    `insert into message_queue (organization_id, environment, id, intro_id, audience, purpose, round, due_at, created_at)
     select $1, 'test', 'msg_' || $2 || n, $2, 'member', 'remind', n, $3, $3 from generate_series(1, $4::int) n`,
    [organizationId, intro, fixture.now(), count],
  );
}

async function countReads(transaction: Transaction<Tables>): Promise<number> {
  const { rows } = await sql<{ read: number }>`
    select (seq_tup_read + idx_tup_fetch)::int as read from pg_stat_xact_user_tables where relname = 'message_queue'`.execute(
    transaction,
  );
  return rows[0]?.read ?? Number.NaN;
}

/** How many messages a claim takes, and how many it reads. Leaves everything as it is. */
async function claim(tenants: readonly Tenant[], share: number): Promise<{ taken: number; read: number }> {
  const turns = tenants.map((tenant) => ({ tenant, share }));
  const transaction = await fixture.db.kysely.startTransaction().execute();
  const before = await countReads(transaction);
  const taken = (await takeDue(transaction, fixture.now(), turns)).length;
  const read = (await countReads(transaction)) - before;
  await transaction.rollback().execute();
  return { taken, read };
}

test('a claim reads as many messages when 100 are due as when 30,000 are', async () => {
  const few = await claim([await organizationWith(100)], 64);
  const many = await claim([await organizationWith(30_000)], 64);
  expect(few.taken).toBe(64);
  expect(many).toEqual(few);
});

test('a claim changes its messages in place, writes no index, and hides them from the next claim', async () => {
  const turns = [{ tenant: await organizationWith(20), share: 8 }];
  const transaction = await fixture.db.kysely.startTransaction().execute();
  const rows = await takeDue(transaction, fixture.now(), turns);
  const change = { status: 'sending', attempts: 1, channel: 'text', address: '+13125550117', body: 'Hi' } as const;
  expect(
    await changeMessages(
      transaction,
      rows.map((row) => ({ row, change })),
    ),
  ).toBe(true);
  const { rows: writes } = await sql`
    select n_tup_upd::int as updated, n_tup_hot_upd::int as hot from pg_stat_xact_user_tables where relname = 'message_queue'`.execute(
    transaction,
  );
  const others = await takeDue(transaction, fixture.now(), turns);
  await transaction.rollback().execute();
  expect(writes).toEqual([{ updated: 8, hot: 8 }]);
  const ids = new Set([...rows, ...others].map(({ id }) => id));
  expect([others.length, ids.size]).toEqual([8, 16]);
});

test('a claim takes the share of each organization, also beside one with thousands of messages', async () => {
  const [busy, quiet] = [await organizationWith(3_000), await organizationWith(3)];
  const waiting = (await listWaiting(fixture.db)).map(({ tenant }) => tenant.organizationId);
  expect(waiting).toEqual(expect.arrayContaining([busy.organizationId, quiet.organizationId]));
  expect(await claim([busy, quiet], 32)).toMatchObject({ taken: 32 + 3 });
});

const tenants = (count: number): Tenant[] =>
  Array.from({ length: count }, (_, n) => ({ organizationId: `org_${n}`, environment: 'test' }));

test.each([
  ['nearly all slots to one', 1, 96, 0, [84]],
  ['the rest to one that has some', 1, 76, 20, [64]],
  ['nothing to one that has all it may have', 1, 8, 84, []],
  ['equal shares', 4, 64, 0, [16, 16, 16, 16]],
  ['one slot each, as far as they go', 5, 3, 0, [1, 1, 1]],
])('slots are shared out: %s', (_title, count, slots, inFlight, shares) => {
  expect(shareOut(tenants(count), slots, () => inFlight).map(({ share }) => share)).toEqual(shares);
});
