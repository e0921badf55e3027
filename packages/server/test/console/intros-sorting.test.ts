import type { ConsoleQuery } from '@foreword/contract';
import { describe, expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { openIntros } from './intros-fixture.ts';

const ROWS = 260;
const STATUSES = ['requested', 'ready', 'sent', 'cancelled', 'expired'];
const ID = 'int_01kahzv8e1';

const team = await forFile(openIntros());
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

interface Seen {
  readonly id: string;
  readonly status: string;
  readonly expires_at: string | null;
}

async function readAll(query: ConsoleQuery<'GET /intros'>): Promise<Seen[]> {
  const seen: Seen[] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const { status, body } = await team.manager.call('GET /intros', {
      query: { ...query, ...(after !== undefined && { after }) },
    });
    expect(status).toBe(200);
    seen.push(...body.rows);
    after = body.next;
  }
  return seen;
}

const isOpen = ({ status }: Seen) => status === 'requested' || status === 'ready';
const deadlineOf = ({ expires_at }: Seen) => (expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at));
const idsOf = (rows: readonly Seen[]) => rows.map(({ id }) => id);

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
