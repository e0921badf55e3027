import { DAY_MS, INTRO_STATUSES, type IntroStatistics, TEST_NUMBER_PREFIX } from '@foreword/contract';
import { sql } from 'kysely';
import type pg from 'pg';
import { hiddenLimit } from '../../db/lists.ts';
import { inTransaction } from '../../db/pools.ts';
import { acrossTenants, type Database, type Db, forTenant, queryForTenant, type Tenant } from '../../db/tenancy.ts';
import { idBound } from '../../platform/ids.ts';
import type { IntroFields } from '../fields.ts';
import { MOVES, PRACTICE_SOURCE } from '../rules.ts';
import { NEWEST_FIRST, readFields } from '../store.ts';

/**
 * Recording times are counted in logarithmic buckets, so that one scan yields every median without sorting a million values.
 * A median is reported as the mean of its bucket: exact for a few recordings, within 5% for many.
 */
const BUCKETS_PER_DOUBLING = 8;
/** Far more than a million intros need. */
const TIMEOUT_MS = 10_000;

export interface OutcomeCounts extends IntroStatistics {
  readonly cancelled: number;
  readonly expired: number;
}

/** The recordings of one bucket, with the sum of their times. */
interface TimeBucket {
  readonly bucket: number | null;
  readonly recorded: number;
  readonly seconds: number | null;
}

/** Values of `grouping(day, slug, member)`: a bit is set for each column that a row is not grouped by. */
const BY_DAY = 0b011;
const BY_TOUCHPOINT = 0b101;

// `extract` returns a numeric, which is several times slower.
const SECONDS = `date_part('epoch', recorded_at - created_at)`;
const BUCKET = `floor(ln(greatest(seconds, 1)) / ln(2) * ${BUCKETS_PER_DOUBLING})::int`;
/** As the filters "Sent" and "Delivered" of the list, without a lookup for each intro: texts to test numbers are simulated. */
const IS_SENT = `status = 'sent' and (delivery_error_code is null or opened_at is not null)
    and not (responsibility = 'service' and recipient_phone like '${TEST_NUMBER_PREFIX}____')`;
const COUNTS = `count(*)::int as requested, count(recorded_at)::int as recorded,
  count(*) filter (where is_sent)::int as sent, count(opened_at) filter (where is_sent)::int as opened,
  count(watched_at) filter (where is_sent)::int as watched,
  count(*) filter (where status = 'cancelled')::int as cancelled, count(*) filter (where status = 'expired')::int as expired`;

// Without buckets per member: 10,000 members would yield a million rows.
const COUNT_OUTCOMES = `
select day, slug, member, bucket, grouping(day, slug, member)::int as grouped, ${COUNTS}, sum(seconds)::float8 as seconds
from (
  select width_bucket(created_at, $4::timestamptz[]) as day, touchpoint_slug as slug, member_id as member, status, recorded_at,
    ${IS_SENT} as is_sent, opened_at, watched_at, seconds, ${BUCKET} as bucket
  from intros cross join lateral (select ${SECONDS} as seconds) took
  where organization_id = $1 and environment = $2 and id >= $3
) i
group by grouping sets ((day), (slug, bucket), (member))`;

const MEMBER_TIMES = `
select member, bucket, count(*)::int as recorded, sum(seconds)::float8 as seconds
from (
  select member_id as member, seconds, ${BUCKET} as bucket
  from intros cross join lateral (select ${SECONDS} as seconds) took
  where organization_id = $1 and environment = $2 and id >= $3 and member_id = any($4) and recorded_at is not null
) i
group by member, bucket`;

/**
 * Allows the sequential scans that the pool's connections turn off. Prefers hashing to sorting, because the planner expects one
 * group per row; there are only as many groups as members.
 */
const ANALYTIC_SETTINGS = `
set local plan_cache_mode = force_custom_plan; set local enable_seqscan = on; set local enable_sort = off;
set local work_mem = '32MB'; set local hash_mem_multiplier = 16; set local max_parallel_workers_per_gather = 0; set local jit = off;
set local statement_timeout = ${TIMEOUT_MS}`;

/** Runs a statement that may scan all intros of an organization. */
async function analyze<Row extends pg.QueryResultRow>(
  { pool }: Database,
  tenant: Tenant,
  text: string,
  values: unknown[],
): Promise<Row[]> {
  const { rows } = await inTransaction(pool, async (client) => {
    await client.query(ANALYTIC_SETTINGS);
    return queryForTenant<Row>(client, tenant, text, values);
  });
  return rows;
}

/** Outcomes of the intros requested in a period, by day, by touchpoint (and time bucket) and by member. */
export interface OutcomeStatistics {
  /** Keyed by the index of the day in the given list. */
  readonly byDay: ReadonlyMap<number, OutcomeCounts>;
  readonly byTouchpoint: readonly (OutcomeCounts & TimeBucket & { readonly slug: string | null })[];
  readonly byMember: readonly (OutcomeCounts & { readonly member: string })[];
}

interface Row extends OutcomeCounts, TimeBucket {
  readonly day: number | null;
  readonly slug: string | null;
  readonly member: string | null;
  readonly grouped: number;
}

/** `days` are the start times of consecutive days; the last one extends to now. */
export async function countOutcomes(
  db: Database,
  tenant: Tenant,
  days: readonly [Date, ...Date[]],
): Promise<OutcomeStatistics> {
  const rows = await analyze<Row>(db, tenant, COUNT_OUTCOMES, [idBound('int', days[0]), days]);
  return {
    // The clocks of nodes differ: an id of the first day may have a creation time just before it. Counts for the first day.
    byDay: new Map(
      rows.filter(({ grouped }) => grouped === BY_DAY).map((row) => [Math.max(0, (row.day ?? 0) - 1), row]),
    ),
    byTouchpoint: rows.filter(({ grouped }) => grouped === BY_TOUCHPOINT),
    byMember: rows
      .filter(({ grouped }) => grouped !== BY_DAY && grouped !== BY_TOUCHPOINT)
      .map((row) => ({ ...row, member: row.member ?? '' })),
  };
}

/** How long these members took to record the intros requested since `from`. */
export async function readMemberTimes(
  db: Database,
  tenant: Tenant,
  { from, members }: { from: Date; members: readonly string[] },
): Promise<readonly (TimeBucket & { readonly member: string })[]> {
  return analyze(db, tenant, MEMBER_TIMES, [idBound('int', from), members]);
}

// With all statuses, because the index has them before the id: PostgreSQL then reads five ranges, and no older intros.
// Intros with the Spanish script say nothing about the other one, whose versions these are.
const COUNT_BY_SCRIPT = `
select script, bucket, ${COUNTS}, count(clicked_times)::int as clicked, count(*) filter (where replied)::int as replied, sum(seconds)::float8 as seconds
from (
  select width_bucket(touchpoint_version, $6::int[]) as script,
    status, recorded_at, ${IS_SENT} as is_sent, opened_at, watched_at, clicked_times, seconds, ${BUCKET} as bucket,
    id in (select intro_id from intro_replies where organization_id = $1 and environment = $2) as replied
  from intros cross join lateral (select ${SECONDS} as seconds) took
  where organization_id = $1 and environment = $2 and touchpoint_slug = $3 and status = any($4) and id >= $5
    and script_language = 'en'
) i
where script > 0
group by script, bucket`;

/** Counts of the intros of one version of a script that were recorded in about the same time. */
export interface ScriptOutcomes extends OutcomeCounts, TimeBucket {
  /** Position in the given list, from 1. */
  readonly script: number;
  readonly clicked: number;
  readonly replied: number;
}

/** Outcomes of a touchpoint's intros since `from`, by version of the script. `starts` are the versions of the touchpoint that changed it, oldest first. */
export const countByScript = (
  db: Database,
  tenant: Tenant,
  touchpoint: {
    readonly slug: string;
    readonly from: Date;
    readonly starts: readonly number[];
  },
): Promise<readonly ScriptOutcomes[]> =>
  analyze<ScriptOutcomes>(db, tenant, COUNT_BY_SCRIPT, [
    touchpoint.slug,
    INTRO_STATUSES,
    idBound('int', touchpoint.from),
    touchpoint.starts,
  ]);

/** A page lives for 180 days after it was sent. Intros older than this are almost never sent or watched. */
const LOOKBACK_DAYS = 200;

/** A week and the one before it: two ranges that meet at `from`. */
interface WeekBounds {
  readonly before: Date;
  readonly from: Date;
  readonly until: Date;
  /** When the summary is sent. */
  readonly now: Date;
}

/** The same count for the week and for the week before. */
export interface WeekCount {
  readonly now: number;
  readonly before: number;
}

const WEEK_COUNTS = ['requested', 'sent', 'watched', 'answered', 'waiting'] as const;
/** `waiting`: not recorded yet, now and a week ago. */
export type WeekCounts = Readonly<Record<(typeof WEEK_COUNTS)[number], WeekCount>>;

const inWeeks = (column: string, name: string, condition = 'true'): string =>
  `count(*) filter (where ${condition} and ${column} >= $5 and ${column} < $6)::int as ${name}_now,
  count(*) filter (where ${condition} and ${column} >= $4 and ${column} < $5)::int as ${name}_before`;

/** An intro that expired or was cancelled was waiting until then. */
const waitingAt = (time: string): string =>
  `count(*) filter (where created_at < ${time} and (recorded_at is null or recorded_at >= ${time})
    and (cancelled_at is null or cancelled_at >= ${time}) and (status <> 'expired' or expires_at >= ${time}))::int`;

const answeredIn = (from: string, until: string): string => `(
    select count(distinct intro_id) from intro_replies
    where organization_id = $1 and environment = $2 and created_at >= ${from} and created_at < ${until}
  )::int`;

/** A practice video has no recipient, so it is not counted. */
const IS_NO_PRACTICE = `reference ->> 'source' is distinct from '${PRACTICE_SOURCE}'`;

const COUNT_WEEKS = `
select ${inWeeks('created_at', 'requested')}, ${inWeeks('sent_at', 'sent', IS_SENT)},
  ${inWeeks('watched_at', 'watched', IS_SENT)},
  ${waitingAt('$7')} as waiting_now, ${waitingAt('$8')} as waiting_before,
  ${answeredIn('$5', '$6')} as answered_now, ${answeredIn('$4', '$5')} as answered_before
from intros where organization_id = $1 and environment = $2 and id >= $3 and ${IS_NO_PRACTICE}`;

type CountRow = { readonly [N in `${keyof WeekCounts}_${keyof WeekCount}`]: number };

/** Counts an organization's intros by outcome for a week and the week before. */
export async function countWeeks(db: Database, tenant: Tenant, bounds: WeekBounds): Promise<WeekCounts> {
  const { before, from, until, now } = bounds;
  const weekAgo = new Date(now.getTime() - 7 * DAY_MS);
  const oldest = idBound('int', new Date(before.getTime() - LOOKBACK_DAYS * DAY_MS));
  const [row] = await analyze<CountRow>(db, tenant, COUNT_WEEKS, [oldest, before, from, until, now, weekAgo]);
  if (row === undefined) throw new Error('counting the intros of a week returned no row');
  const counts = WEEK_COUNTS.map((name) => [name, { now: row[`${name}_now`], before: row[`${name}_before`] }]);
  return Object.fromEntries(counts) as WeekCounts;
}

const PEOPLE = ['recipient_first_name', 'recipient_last_name', 'member_first_name', 'member_last_name'] as const;

/** The intros that have waited the longest to be recorded. */
export async function listLongestWaiting({ kysely }: Database, tenant: Tenant, limit: number) {
  const longest = sql`select * from intros
    where ${forTenant(kysely, tenant).owns()} and status = 'requested' and ${sql.raw(IS_NO_PRACTICE)}
    order by id limit ${limit}`;
  return readFields(kysely, ['id', ...PEOPLE, 'created_at'], longest, sql`i.id`);
}

/** Scans only this many of the newest intros per status, so that the cost does not grow with the organization. */
const MAX_ROWS = 5_000;

interface OpenByTouchpoint {
  readonly counts: ReadonlyMap<string, number>;
  /** True if not every intro was scanned, so that the counts are lower bounds. */
  readonly more: boolean;
}

/** Counts open intros by the slug of their touchpoint. */
export async function countOpenByTouchpoint(db: Db, tenant: Tenant): Promise<OpenByTouchpoint> {
  const scans = MOVES.expire.from.map(
    (status) => sql`
      (select touchpoint_slug, status from intros
      where ${forTenant(db, tenant).owns()} and status = ${status}
      order by id desc ${hiddenLimit(MAX_ROWS)})`,
  );
  const { rows } = await sql<{ slug: string | null; status: string; count: number }>`
    select touchpoint_slug as slug, status, count(*)::int as count from (${sql.join(scans, sql` union all `)}) open
    group by touchpoint_slug, status`.execute(db);
  const counts = new Map<string, number>();
  const scanned = new Map<string, number>();
  for (const { slug, status, count } of rows) {
    scanned.set(status, (scanned.get(status) ?? 0) + count);
    if (slug !== null) counts.set(slug, (counts.get(slug) ?? 0) + count);
  }
  return { counts, more: [...scanned.values()].some((count) => count >= MAX_ROWS) };
}

export interface IntroPeople extends Pick<IntroFields, (typeof PEOPLE)[number]> {
  readonly context: {
    readonly appointment?: { readonly starts_at: string; readonly timezone: string } | null;
    readonly trade?: string | null;
    readonly lane?: string | null;
  } | null;
}

/** The people and context of the newest intros, for previewing a draft with realistic values. */
export async function listNewestPeople(db: Db, tenant: Tenant, limit: number): Promise<IntroPeople[]> {
  const newest = sql`select * from intros
    where ${forTenant(db, tenant).owns()} and erased_at is null order by id desc limit ${sql.lit(limit)}`;
  return (await readFields(db, [...PEOPLE, 'context'], newest, NEWEST_FIRST)) as IntroPeople[];
}

type RecipientName = Pick<IntroPeople, 'recipient_first_name' | 'recipient_last_name'>;

/** The recipient name that takes longest to say, among the newest intros; null if there are none. */
export async function findLongestRecipient(db: Db, tenant: Tenant, maxRows: number): Promise<RecipientName | null> {
  const newest = forTenant(db, tenant)
    .selectFrom('intros')
    .select(['recipient_first_name', 'recipient_last_name'])
    .where('erased_at', 'is', null)
    .orderBy('id', 'desc')
    // A parameter, like `hiddenLimit`.
    .limit(maxRows);
  // Reading time is estimated from the number of words; characters only break ties.
  const words = sql`array_length(regexp_split_to_array(btrim(concat_ws(' ', recipient_first_name, recipient_last_name)), '\\s+'), 1)`;
  const row = await acrossTenants(db)
    .selectFrom(newest.as('i'))
    .selectAll()
    .orderBy(words, 'desc')
    .orderBy(sql`length(concat_ws(' ', recipient_first_name, recipient_last_name))`, 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}
