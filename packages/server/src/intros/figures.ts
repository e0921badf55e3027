import type pg from 'pg';
import { type Database, inTransaction } from '../platform/db.ts';
import { idBound } from '../platform/ids.ts';
import type { IntroStatus, Tables, Tenant } from '../tables.ts';

/**
 * Times until the recording fall into buckets, eight to each doubling, so that one reading of the table gives every median and
 * no list of a million times is sorted. What is told is the mean of a bucket: exact for a few, within 5 % for many.
 */
const BUCKETS_EACH_DOUBLING = 8;
/** Far above what it takes for a million intros; somebody who waits this long has gone. */
const LIMIT_MS = 10_000;

export interface OutcomeCounts {
  readonly requested: number;
  readonly recorded: number;
  readonly sent: number;
  readonly opened: number;
  readonly watched: number;
  readonly cancelled: number;
  readonly expired: number;
}

/** How long recordings of one bucket took together. */
export interface Timed {
  readonly bucket: number | null;
  readonly recorded: number;
  readonly seconds: number | null;
}

/** Bits that `grouping` sets for what a row is not grouped by. */
const BY_DAY = 0b011;
const BY_TOUCHPOINT = 0b101;

// Not `extract`, which counts in decimals and takes several times as long.
const SECONDS = `date_part('epoch', recorded_at - created_at)`;
const BUCKET = `floor(ln(greatest(seconds, 1)) / ln(2) * ${BUCKETS_EACH_DOUBLING})::int`;
const COUNTS = `count(*)::int as requested, count(recorded_at)::int as recorded, count(sent_at)::int as sent,
  count(opened_at)::int as opened, count(watched_at)::int as watched,
  count(*) filter (where status = 'cancelled')::int as cancelled, count(*) filter (where status = 'expired')::int as expired`;

// Members without their buckets: ten thousand of them would have a million.
const FIGURES = `
select day, slug, member, bucket, grouping(day, slug, member)::int as grouped, ${COUNTS}, sum(seconds)::float8 as seconds
from (
  select width_bucket(created_at, $4::timestamptz[]) as day, touchpoint_slug as slug, member_id as member, status, recorded_at,
    sent_at, opened_at, watched_at, seconds, ${BUCKET} as bucket
  from intros cross join lateral (select ${SECONDS} as seconds) took
  where organization_id = $1 and environment = $2 and id >= $3
) i
group by grouping sets ((day), (slug, bucket), (member))`;

const TIMES = `
select member, bucket, count(*)::int as recorded, sum(seconds)::float8 as seconds
from (
  select member_id as member, seconds, ${BUCKET} as bucket
  from intros cross join lateral (select ${SECONDS} as seconds) took
  where organization_id = $1 and environment = $2 and id >= $3 and member_id = any($4) and recorded_at is not null
) i
group by member, bucket`;

/**
 * The pool's connections know no plan that reads a whole span: here it is the one that is wanted. PostgreSQL expects as many
 * groups as rows, and would sort them all for it; there are as many as members, and they fit into a small part of this memory.
 */
const ANALYTIC = `
set local plan_cache_mode = force_custom_plan; set local enable_seqscan = on; set local enable_sort = off;
set local work_mem = '32MB'; set local hash_mem_multiplier = 16; set local max_parallel_workers_per_gather = 0; set local jit = off;
set local statement_timeout = ${LIMIT_MS}`;

async function analyse<Row extends pg.QueryResultRow>(
  { pool }: Database<Tables>,
  text: string,
  values: unknown[],
): Promise<Row[]> {
  const { rows } = await inTransaction(pool, async (client) => {
    await client.query(ANALYTIC);
    return client.query<Row>(text, values);
  });
  return rows;
}

/** What became of the intros that were asked for in a span; rows of one day, touchpoint (by bucket) or member. */
export interface OutcomeStatistics {
  /** By the place of its day in the list that was given. */
  readonly byDay: ReadonlyMap<number, OutcomeCounts>;
  readonly byTouchpoint: readonly (OutcomeCounts & Timed & { readonly slug: string | null })[];
  readonly byMember: readonly (OutcomeCounts & { readonly member: string })[];
}

interface Row extends OutcomeCounts, Timed {
  readonly day: number | null;
  readonly slug: string | null;
  readonly member: string | null;
  readonly recorded: number;
  readonly grouped: number;
}

/** Of the days that begin at these times; the last goes on until now. */
export async function countOutcomes(
  db: Database<Tables>,
  tenant: Tenant,
  days: readonly [Date, ...Date[]],
): Promise<OutcomeStatistics> {
  const values = [tenant.organizationId, tenant.environment, idBound('int', days[0]), days];
  const rows = await analyse<Row>(db, FIGURES, values);
  return {
    // Clocks of nodes differ: what has an id of the first day may have been asked for just before it, which counts as then.
    byDay: new Map(
      rows.filter(({ grouped }) => grouped === BY_DAY).map((row) => [Math.max(0, (row.day ?? 0) - 1), row]),
    ),
    byTouchpoint: rows.filter(({ grouped }) => grouped === BY_TOUCHPOINT),
    byMember: rows
      .filter(({ grouped }) => grouped !== BY_DAY && grouped !== BY_TOUCHPOINT)
      .map((row) => ({ ...row, member: row.member ?? '' })),
  };
}

/** How long these members took, of what was asked for since then. */
export async function readMemberTimes(
  db: Database<Tables>,
  tenant: Tenant,
  { from, members }: { from: Date; members: readonly string[] },
): Promise<readonly (Timed & { readonly member: string })[]> {
  const values = [tenant.organizationId, tenant.environment, idBound('int', from), members];
  return analyse(db, TIMES, values);
}

const COUNT_WAITING = `
select count(*)::int as amount, count(*) filter (where expires_at < $5)::int as due
from (
  select expires_at from intros where organization_id = $1 and environment = $2 and status = $3 order by id limit $4
) waiting`;

/** Of one status, the oldest `most` at most; `due`: those that expire before that time. */
export async function countWaitingIntros(
  { pool }: Database<Tables>,
  tenant: Tenant,
  { status, most, before }: { status: IntroStatus; most: number; before: Date },
): Promise<{ readonly amount: number; readonly due: number }> {
  const values = [tenant.organizationId, tenant.environment, status, most, before];
  const { rows } = await pool.query<{ amount: number; due: number }>({
    name: 'count waiting intros',
    text: COUNT_WAITING,
    values,
  });
  return rows[0] ?? { amount: 0, due: 0 };
}

export interface WaitingRow {
  readonly id: string;
  readonly recipient_first_name: string;
  readonly recipient_last_name: string | null;
  readonly touchpoint_name: string | null;
  readonly member_id: string;
  readonly member_first_name: string;
  readonly member_last_name: string;
  readonly created_at: Date;
  readonly expires_at: Date | null;
}

const OLDEST = `
select i.id, i.recipient_first_name, i.recipient_last_name, t.name as touchpoint_name, i.member_id,
  m.first_name as member_first_name, m.last_name as member_last_name, i.created_at, i.expires_at
from (
  select * from intros
  where organization_id = $1 and environment = $2 and status = 'requested' order by id limit $3
) i
join members m on m.organization_id = i.organization_id and m.id = i.member_id
left join touchpoints t
  on t.slug = i.touchpoint_slug and t.organization_id = i.organization_id and t.environment = i.environment
order by i.id`;

/** Those that have waited the longest to be recorded. */
export async function listOldestWaiting(
  { pool }: Database<Tables>,
  tenant: Tenant,
  limit: number,
): Promise<readonly WaitingRow[]> {
  const values = [tenant.organizationId, tenant.environment, limit];
  return (await pool.query<WaitingRow>({ name: 'list oldest waiting', text: OLDEST, values })).rows;
}

export async function hasIntros({ pool }: Database<Tables>, tenant: Tenant): Promise<boolean> {
  const { rows } = await pool.query('select 1 from intros where organization_id = $1 and environment = $2 limit 1', [
    tenant.organizationId,
    tenant.environment,
  ]);
  return rows.length > 0;
}
