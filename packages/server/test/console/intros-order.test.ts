import type { ConsoleIntroRow, ConsoleQuery } from '@foreword/contract';
import { describe, expect, test } from 'vitest';
import { sendEvent, settled } from '../acceptance/support/actions.ts';
import { forFile } from '../harness/index.ts';
import { openIntros } from './intros-fixture.ts';

const team = await forFile(openIntros());

const ROWS = 260;
const STATUSES = ['requested', 'ready', 'sent', 'cancelled', 'expired'];
const ID = 'int_01kahzv8e1';

// Some deadlines are equal, and some open intros have none.
await team.database.query(
  `insert into intros (organization_id, environment, id, status, member_id, recipient_first_name, recipient_phone,
       instructed, responsibility, metadata, created_at, expires_at)
     select $1, 'test', '${ID}' || lpad(n::text, 16, '0'), ($3::text[])[1 + n % 5], $2, 'Page' || n % 2, '+14165559999',
       false, 'integration', '{}', now(),
       case when n % 5 < 2 and n % 20 > 1 then timestamptz '2030-01-01' + (n * 37 % 50) * interval '1.000001 days' end
     from generate_series(1, ${ROWS}) n`,
  [team.organization.id, team.organization.memberId, STATUSES],
);

const { readAll } = team;
const isOpen = ({ status }: ConsoleIntroRow) => status === 'requested' || status === 'ready';
const deadlineOf = ({ expires_at }: ConsoleIntroRow) =>
  expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at);
const idsOf = (rows: readonly ConsoleIntroRow[]) => rows.map(({ id }) => id);

const FILTERS: readonly ConsoleQuery<'GET /intros'>[] = [
  {},
  { q: 'page1' },
  { touchpoint: '-' },
  { status: 'ready,sent' },
  { status: 'cancelled' },
];

describe('the list of intros', () => {
  test.each(FILTERS)('by deadline shows open intros first, without duplicates or gaps: %o', async (filter) => {
    const newest = await readAll(filter);
    const rows = await readAll({ ...filter, sort: 'due' });
    expect(idsOf(rows).sort()).toEqual(idsOf(newest).sort());
    const open = rows.filter(isOpen);
    expect(rows.slice(0, open.length)).toEqual(open);
    expect(open.map(deadlineOf)).toEqual(open.map(deadlineOf).sort((a, b) => a - b));
    const closed = idsOf(rows.slice(open.length));
    expect(closed).toEqual([...closed].sort().reverse());
  });

  test.each(FILTERS)('by status shows each status newest first, without duplicates or gaps: %o', async (filter) => {
    const newest = await readAll(filter);
    const rows = await readAll({ ...filter, sort: 'status' });
    expect(rows).toEqual(STATUSES.flatMap((status) => newest.filter((row) => row.status === status)));
  });

  test('by deadline skips no intro when the deadline of another one changes between two pages', async () => {
    const before = await readAll({ sort: 'due' });
    const first = await team.manager.call('GET /intros', { query: { sort: 'due' } });
    await team.database.sql`update intros set expires_at = '2040-01-01' where id = ${before[0]?.id}`;
    const after = first.body.next ?? '';
    const second = await team.manager.call('GET /intros', { query: { sort: 'due', after } });
    const both = [...first.body.rows, ...second.body.rows].map(({ id }) => id);
    // The one that changed is on both pages.
    expect(new Set(both)).toEqual(new Set(idsOf(before).slice(0, 99)));
  });

  test.each([
    ['due', 'int_01kahzv8e1f0rtx5m2q6n9d3bw'],
    ['due', 'due~12345678901234567~int_01kahzv8e1f0rtx5m2q6n9d3bw'],
    ['due', 'open~'],
    ['status', 'gone~'],
    ['status', "ready~int_' or true"],
    ['created', 'due~'],
  ] as const)('rejects a cursor of another order: %s, %s', async (sort, after) => {
    const { status, error } = await team.manager.call('GET /intros', { query: { sort, after } });
    expect({ status, field: error.field }).toEqual({ status: 422, field: 'after' });
  });
});

describe('a failed event', () => {
  async function failing(): Promise<string> {
    const switchTo = (active: string) =>
      team.database.sql`update touchpoints set active = ${active} where organization_id = ${team.organization.id}
        and slug = ${'project_update'}`;
    const { id } = await sendEvent(team.organization.api, {
      touchpoint: 'project_update',
      member: { external_id: 'rep_17' },
    });
    await settled(team.organization.api, id);
    await team.database
      .sql`update touchpoint_events set status = 'failed', intro_id = null, error_code = 'touchpoint_not_found',
         error_message = 'The touchpoint was turned off before the event was processed.' where id = ${id}`;
    await team.database.sql`delete from intros where event_id = ${id}`;
    await switchTo('true');
    return id;
  }

  test('shows the reason, and creates one intro when it is retried several times at once', async () => {
    const id = await failing();
    const failed = await team.manager.call('GET /events', { query: { status: 'failed' } });
    expect(failed.body.rows).toMatchObject([{ id, error: { code: 'touchpoint_not_found' }, intro_id: null }]);
    const counts = await team.manager.call('GET /intro-counts');
    expect(counts.body.events).toEqual({ accepted: 0, failed: 1 });
    const tries = await Promise.all(
      [1, 2, 3].map(() => team.manager.call('POST /v1/events/{id}/retry', { params: { id } })),
    );
    expect(tries.map(({ status }) => status).sort()).toEqual([202, 409, 409]);
    expect((await settled(team.organization.api, id)).status).toBe('processed');
    const { body } = await team.manager.call('GET /events/{id}', { params: { id } });
    expect(body).toMatchObject({ status: 'processed', error: null, raw: { object: 'touchpoint_event' } });
    const made = await team.database.sql`select 1 from intros where event_id = ${id}`;
    expect(made).toHaveLength(1);
    const again = await team.manager.call('POST /v1/events/{id}/retry', { params: { id } });
    expect([again.status, again.error.code]).toEqual([409, 'event_not_failed']);
  });

  test('says why a retry would fail again, until the cause is fixed', async () => {
    const id = await failing();
    const { id: organization } = team.organization;
    const retry = async () => (await team.manager.call('GET /events/{id}', { params: { id } })).body.retry;
    expect(await retry()).toEqual({ possible: true, blocked_by: null });
    await team.database.sql`update touchpoints set delivery = 'service' where organization_id = ${organization}`;
    await team.database.sql`insert into opt_outs (organization_id, environment, phone, source, opted_out_at)
       select organization_id, environment, request -> 'recipient' ->> 'phone', 'text', now() from touchpoint_events
       where id = ${id}`;
    expect(await retry()).toEqual({ possible: false, blocked_by: 'recipient_opted_out' });
    await team.database.sql`update touchpoints set active = false where organization_id = ${organization}
      and slug = 'project_update'`;
    expect(await retry()).toEqual({ possible: false, blocked_by: 'touchpoint_not_found' });
    await team.database.sql`update touchpoints set active = true where organization_id = ${organization}`;
    await team.database.sql`delete from opt_outs where organization_id = ${organization}`;
    expect(await retry()).toEqual({ possible: true, blocked_by: null });
  });

  test.each([['Dana'], ['reyes'], ['415 555'], ['job_77']])('is found among events by %s', async (q) => {
    const recipient = { first_name: 'Dana', last_name: 'Reyes', phone: '+14155550123' };
    const { id } = await sendEvent(team.organization.api, { recipient, reference: { id: 'job_77' } });
    await settled(team.organization.api, id);
    const { body } = await team.manager.call('GET /events', {
      query: { q, touchpoint: 'project_kickoff', member: team.organization.memberId, status: 'processed' },
    });
    expect(body.rows.map((row) => row.id)).toContain(id);
  });
});
