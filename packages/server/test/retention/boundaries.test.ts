import { RETENTION_POLICIES, type RetentionRule } from '@foreword/contract';
import { type SqlBool, sql } from 'kysely';
import { expect, test } from 'vitest';
import { tablesWhere } from '../../src/db/tables.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { sweepRetention } from '../../src/privacy/retention/index.ts';
import { PARTS } from '../../src/privacy/retention/store.ts';
import { openTestPool } from '../db/fixture.ts';
import { forFile } from '../harness/index.ts';
import { openRows } from './old-rows.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const { database, db, newTenant } = await forFile(openTestPool({ keyedPlans: true }));
const own = openRows(database, await newOrganization(null));
// Keeps everything for as long as possible.
const other = openRows(database, await newOrganization('max'));

async function newOrganization(choice: 'max' | null): Promise<string> {
  const { organizationId: id } = await newTenant();
  if (choice === 'max') {
    for (const [rule, { max }] of Object.entries(RETENTION_POLICIES)) {
      await database.query(
        `insert into retention_settings (organization_id, environment, rule, days, changed_at) values ($1, 'test', $2, $3, now())`,
        [id, rule, max],
      );
    }
  }
  return id;
}

/** Just outside of the period, just inside of it, and now. */
function ages(rule: RetentionRule): readonly [Date, Date] {
  const edge = Date.now() - RETENTION_POLICIES[rule].default * DAY_MS;
  return [new Date(edge - HOUR_MS), new Date(edge + HOUR_MS)];
}

const sweep = (...rules: RetentionRule[]) => sweepRetention({ db, clock: systemClock }, rules);

test('each rule changes the rows of all its tables', () => {
  const period = { owns: () => sql<SqlBool>`true`, organizationId: '', before: new Date() };
  for (const [rule, parts] of Object.entries(PARTS)) {
    const { sql: text } = sql.join(parts.map((part) => part.remove(period))).compile(db.kysely);
    const changed = new Set([...text.matchAll(/(?:delete from|update) "?(\w+)/g)].map(([, table]) => table));
    const own = tablesWhere(({ retention }) => retention === rule);
    expect([rule, own.filter((table) => !changed.has(table))]).toEqual([rule, []]);
  }
});

test('events: removes old ones, but none that waits, was settled later, or belongs to another organization', async () => {
  const [old, young] = ages('events');
  const gone = await own.event(old);
  const kept = [
    await own.event(old, { status: 'accepted', settled_at: null }),
    await own.event(old, { settled_at: young }),
    await own.event(young),
  ];
  const theirs = await other.event(old);
  expect(await sweep('events')).toEqual({ events: 1 });
  expect(await own.list('touchpoint_events')).toEqual([...kept].sort());
  expect(kept).not.toContain(gone);
  expect(await other.list('touchpoint_events')).toEqual([theirs]);
  expect(await sweep('events')).toEqual({});
});

test('intros: removes an old one with everything that belongs to it, and nothing of its neighbors', async () => {
  const [old, young] = ages('intros');
  const takeFrom = { deleted_at: old };
  for (const rows of [own, other]) await rows.event(young, { id: 'evt_of_intro' });
  const gone = await own.intro(old, { event_id: 'evt_of_intro' });
  await own.take(old, gone, takeFrom);
  await own.message(old, gone);
  await own.insert('intro_replies', { intro_id: gone, number: 1, type: 'thanks', label: 'Thanks', created_at: old });
  await own.insert('intro_declines', {
    intro_id: gone,
    generation: 0,
    member_id: 'mem_1',
    reason: 'away',
    created_at: old,
  });
  const byMember = { intro_id: gone, number: 1, member_id: 'mem_1' };
  await own.insert('intro_answers', { ...byMember, message: 'Yes', created_at: old });
  await own.insert('listed_intros', { ...byMember, listed_at: old });
  const moved = { intro_id: gone, generation: 1, from_member_id: 'mem_1', to_member_id: 'mem_2', created_at: old };
  await own.insert('intro_reassignments', moved);
  await own.insert('links', { intro_id: gone, kind: 'page', hash: Buffer.from('aa', 'hex') });
  await own.insert('opt_outs', { phone: '+15005550111', source: 'text', opted_out_at: old });
  const number = { phone: '+15005550111', message_id: 'msg_1' };
  await own.insert('texted_numbers', { ...number, touchpoint: 'a', texted_at: old });
  await own.insert('texted_numbers', { ...number, touchpoint: 'b', texted_at: young });
  const flag = { failure: 'unreachable_number', flagged_at: old };
  await own.insert('flagged_numbers', { ...flag, phone: number.phone });
  await own.insert('flagged_numbers', { ...flag, phone: '+15005550112' });

  const withFiles = await own.intro(old);
  await own.take(old, withFiles);
  const withText = await own.intro(old, { recipient_phone: '+15005550112' });
  const scheduled = await own.message(old, withText, { status: 'scheduled', accepted_at: null, settled_at: null });
  const kept = [
    withFiles,
    withText,
    await own.intro(old, { status: 'requested', sent_at: null }),
    await own.intro(old, { status: 'ready', sent_at: null }),
    await own.intro(old, { sent_at: young }),
    await own.intro(old, { status: 'cancelled', sent_at: null, cancelled_at: young }),
    await own.intro(old, { status: 'expired', sent_at: null, expires_at: young }),
    await own.intro(young),
  ];
  const neighbor = kept[4] as string;
  await own.insert('intro_replies', {
    intro_id: neighbor,
    number: 1,
    type: 'thanks',
    label: 'Thanks',
    created_at: old,
  });
  const theirs = await other.intro(old);

  expect(await sweep('intros')).toEqual({ intros: 1 });
  expect(await own.list('intros')).toEqual([...kept].sort());
  const ofIntro = "id = 'evt_of_intro'";
  expect(await own.list('touchpoint_events', 'id', ofIntro)).toEqual([]);
  expect(await other.list('touchpoint_events', 'id', ofIntro)).toHaveLength(1);
  expect(await own.list('intro_replies', 'intro_id')).toEqual([neighbor]);
  for (const table of ['intro_answers', 'listed_intros']) expect(await own.list(table, 'intro_id')).toEqual([]);
  expect(await own.list('all_messages')).toEqual([scheduled]);
  expect(await own.list('recordings', 'intro_id')).toEqual([withFiles]);
  for (const table of ['intro_declines', 'intro_reassignments']) expect(await own.list(table, 'intro_id')).toEqual([]);
  expect(await own.list('texted_numbers', 'touchpoint')).toEqual(['b']);
  expect(await own.list('flagged_numbers', 'phone')).toEqual(['+15005550112']);
  expect(await own.list('links', 'intro_id')).toEqual([gone]);
  expect(await own.list('opt_outs', 'phone')).toEqual(['+15005550111']);
  expect(await other.list('intros')).toEqual([theirs]);
});

test('intros: removes what a later change left in webhooks and responses, even if these are kept for longer', async () => {
  const [old, young] = [ages('intros')[0], new Date()];
  const mine = openRows(database, await newOrganization('max'));
  await database.query(`update retention_settings set days = 365 where rule = 'intros' and organization_id = $1`, [
    mine.organizationId,
  ]);
  const [gone, kept] = [await mine.intro(old), await mine.intro(young)];
  for (const id of [gone, kept]) {
    const webhook = await mine.webhook(young);
    await database.query('update webhook_messages set object_id = $2 where id = $1', [webhook, id]);
    await mine.key(young, { object_id: id, response: '{}' });
  }
  expect(await sweep('intros')).toEqual({ intros: 1 });
  expect(await mine.list('webhook_messages', 'object_id')).toEqual([kept]);
  for (const table of ['webhook_deliveries', 'webhook_attempts'])
    expect(await mine.list(table, 'message_id')).toHaveLength(1);
  expect(await mine.list('idempotency_keys', 'object_id')).toEqual([gone, kept].sort());
  expect(await mine.list('idempotency_keys', 'object_id', 'response is not null')).toEqual([kept]);
});

test('intros: removes the emails to owners that name the recipient, even if emails are kept for longer', async () => {
  const [old, young] = [ages('intros')[0], new Date()];
  const [mine, theirs] = [
    openRows(database, await newOrganization(null)),
    openRows(database, await newOrganization(null)),
  ];
  const gone = await mine.intro(old, { status: 'cancelled', sent_at: null, cancelled_at: old });
  const open = await mine.intro(old, { status: 'requested', sent_at: null });
  const declined = { generation: 0, member_id: 'mem_1', reason: 'away', created_at: old };
  const email = { address: 'o@acme.example', subject: 'S', status: 'accepted', created_at: young };
  for (const [n, id] of [gone, open].entries()) {
    await mine.insert('intro_declines', { ...declined, intro_id: id });
    const about = { ...email, settled_at: young };
    await mine.insert('owner_emails', {
      ...about,
      id: `decline_${n}`,
      purpose: 'intro_declined',
      body: `/intros/${id} Dana`,
    });
    const week = `2026-01-0${n + 1}`;
    const figures = JSON.stringify({
      longest: [
        { id: 'int_0', recipient: 'Rosa' },
        { id, recipient: 'Dana' },
      ],
    });
    for (const rows of [mine, theirs]) {
      await rows.insert('weekly_summaries', { week, figures, created_at: young });
      await rows.insert('owner_emails', { ...about, id: `week_${n}`, purpose: 'weekly_summary', week, body: 'Dana' });
    }
  }
  await mine.insert('weekly_summaries', { week: '2026-01-03', created_at: young });

  expect(await sweep('intros')).toEqual({ intros: 1 });
  const ofJanuary = "week like '2026-01-%'";
  expect(await mine.list('owner_emails', 'id', "id ~ '^(decline|week)_'")).toEqual(['decline_1', 'week_1']);
  expect(await mine.list('weekly_summaries', 'week', ofJanuary)).toEqual(['2026-01-02', '2026-01-03']);
  expect(await theirs.list('owner_emails', 'id', "id like 'week_%'")).toEqual(['week_0', 'week_1']);
  expect(await theirs.list('weekly_summaries', 'week', ofJanuary)).toEqual(['2026-01-01', '2026-01-02']);
});

test('messages: removes old ones of closed intros, but none that may still be sent', async () => {
  const [old, young] = ages('messages');
  const [closed, open] = [await own.intro(young), await own.intro(young, { status: 'requested', sent_at: null })];
  const gone = await own.message(old, closed);
  const kept = [
    await own.message(old, open, { audience: 'member', purpose: 'ask' }),
    await own.message(old, closed, { status: 'sending', accepted_at: null, settled_at: null }),
    await own.message(old, closed, { settled_at: young }),
    await own.message(young, closed),
  ];
  const email = { address: 'o@acme.example', subject: '', body: '', purpose: 'weekly_summary', created_at: old };
  const sent = { ...email, id: gone, status: 'accepted', settled_at: old };
  await own.insert('owner_emails', sent);
  await own.insert('owner_emails', { ...email, id: kept[0], status: 'scheduled' });
  for (const created_at of [old, young]) {
    await own.insert('weekly_summaries', { week: created_at.toISOString(), created_at });
  }
  const theirs = await other.message(old, 'int_1');
  expect(await sweep('messages')).toEqual({ messages: 3 });
  expect(await own.list('all_messages', 'id', `intro_id in ('${closed}', '${open}')`)).toEqual([...kept].sort());
  expect(await own.list('owner_emails')).toEqual([kept[0]]);
  expect(await own.list('weekly_summaries', 'created_at')).toEqual([young]);
  expect(await other.list('messages')).toEqual([theirs]);
});

test('requests: removes old ones and old counts of unlogged requests', async () => {
  const [old, young] = ages('requests');
  await own.request(old);
  const kept = await own.request(young);
  for (const hour of [old, young]) await own.insert('request_log_gaps', { hour, requests: 1 });
  const theirs = await other.request(old);
  expect(await sweep('requests')).toEqual({ requests: 2 });
  expect(await own.list('request_log')).toEqual([kept]);
  expect(await own.list('request_log_gaps', 'hour')).toEqual([young]);
  expect(await other.list('request_log')).toEqual([theirs]);
});

test('webhooks: removes old messages with their deliveries and attempts, except pending ones', async () => {
  const [old, young] = ages('webhooks');
  await own.webhook(old);
  const [pending, kept] = [await own.webhook(old, new Date()), await own.webhook(young)];
  const theirs = await other.webhook(old);
  expect(await sweep('webhooks')).toEqual({ webhooks: 3 });
  expect(await own.list('webhook_messages')).toEqual([pending, kept].sort());
  expect(await own.list('webhook_deliveries', 'message_id')).toEqual([pending, kept].sort());
  expect(await own.list('webhook_attempts', 'message_id')).toEqual([kept]);
  expect(await other.list('webhook_attempts', 'message_id')).toEqual([theirs]);
});

test('responses: removes old ones, and never a key or its fingerprint', async () => {
  const [old, young] = ages('responses');
  const gone = await own.key(old);
  const kept = await own.key(young);
  await own.key(old, { response: null });
  const theirs = await other.key(old);
  expect(await sweep('responses')).toEqual({ responses: 1 });
  expect(await own.list('idempotency_keys', 'key_hash', 'response is not null')).toEqual([kept]);
  expect(await own.list('idempotency_keys', 'key_hash', 'fingerprint is not null')).toHaveLength(3);
  expect(await own.list('idempotency_keys', 'key_hash')).toContainEqual(gone);
  expect(await other.list('idempotency_keys', 'key_hash', 'response is not null')).toEqual([theirs]);
});

test('videos: lets the sweep of files check old ones of sent intros only', async () => {
  const [old, young] = ages('videos');
  const takeOf = async (at: Date, intro: object): Promise<string> => {
    const introId = await own.intro(at, { ...intro });
    const id = await own.take(at, introId);
    await database.query('update intros set recording_id = $1 where id = $2', [id, introId]);
    return id;
  };
  const gone = await takeOf(old, {});
  await takeOf(old, { status: 'ready', sent_at: null });
  await takeOf(old, { sent_at: young });
  await takeOf(young, {});
  await own.take(old, await own.intro(old), { deleted_at: old });
  expect(await sweep('videos')).toEqual({ videos: 1 });
  expect(await own.list('recordings', 'id', 'files_check_at <= now()')).toEqual([gone]);
  expect(await sweep('videos')).toEqual({});
});

test('one rule is swept by one node at a time, and the others continue', async () => {
  const [old] = ages('events');
  const kept = await own.event(old);
  await db.kysely.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended('retention events', 0))`.execute(tx);
    await own.request(ages('requests')[0]);
    expect(await sweep('events', 'requests')).toEqual({ requests: 1 });
  });
  expect(await own.list('touchpoint_events')).toContain(kept);
  expect(await sweep('events')).toEqual({ events: 1 });
});

test('a sweep of several batches removes everything, and an aborted one continues later', async () => {
  const [old, young] = ages('requests');
  await database.query(
    `insert into request_log (organization_id, environment, id, key_id, method, path, status, duration_ms, body_bytes, created_at)
     select organization_id, environment, left(id, 14) || 'z' || lpad(n::text, 15, '0'), key_id, method, path, status, 1, 0, $2
     from request_log, generate_series(1, 450) n where id = $1`,
    [await own.request(old), old],
  );
  const kept = await own.request(young);
  const stopping = new AbortController();
  stopping.abort();
  expect(await sweepRetention({ db, clock: systemClock, signal: stopping.signal }, ['requests'])).toEqual({});
  expect(await sweep('requests')).toEqual({ requests: 451 });
  expect(await own.list('request_log', 'id', `created_at = '${young.toISOString()}'`)).toEqual([kept]);
});
