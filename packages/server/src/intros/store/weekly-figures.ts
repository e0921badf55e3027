import { DAY_MS } from '@foreword/contract';
import { type Database, queryForTenant, type Tenant } from '../../db/tenancy.ts';
import { idBound } from '../../platform/ids.ts';
import { analyze, type WaitingRow } from './statistics.ts';

/** A page lives for 180 days after it was sent. Intros older than this are almost never sent or watched. */
const LOOKBACK_DAYS = 200;

/** A week and the one before it: two ranges that meet at `from`. */
export interface WeekBounds {
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

export interface WeekCounts {
  readonly requested: WeekCount;
  readonly sent: WeekCount;
  readonly watched: WeekCount;
  readonly answered: WeekCount;
  /** Not recorded yet: now, and a week ago. */
  readonly waiting: WeekCount;
}

const inWeeks = (column: string, name: string): string =>
  `count(*) filter (where ${column} >= $5 and ${column} < $6)::int as ${name}_now,
  count(*) filter (where ${column} >= $4 and ${column} < $5)::int as ${name}_before`;

/** An intro that expired or was cancelled was waiting until then. */
const waitingAt = (time: string): string =>
  `count(*) filter (where created_at < ${time} and (recorded_at is null or recorded_at >= ${time})
    and (cancelled_at is null or cancelled_at >= ${time}) and (status <> 'expired' or expires_at >= ${time}))::int`;

const COUNT_WEEKS = `
select ${inWeeks('created_at', 'requested')}, ${inWeeks('sent_at', 'sent')}, ${inWeeks('watched_at', 'watched')},
  ${waitingAt('$7')} as waiting_now, ${waitingAt('$8')} as waiting_before,
  (
    select count(distinct intro_id) from intro_replies
    where organization_id = $1 and environment = $2 and created_at >= $5 and created_at < $6
  )::int as answered_now,
  (
    select count(distinct intro_id) from intro_replies
    where organization_id = $1 and environment = $2 and created_at >= $4 and created_at < $5
  )::int as answered_before
from intros where organization_id = $1 and environment = $2 and id >= $3`;

type Names = 'requested' | 'sent' | 'watched' | 'answered' | 'waiting';
type CountRow = { readonly [N in `${Names}_${'now' | 'before'}`]: number };

/** Counts an organization's intros by outcome for a week and the week before. */
export async function countWeeks(db: Database, tenant: Tenant, bounds: WeekBounds): Promise<WeekCounts> {
  const { before, from, until, now } = bounds;
  const weekAgo = new Date(now.getTime() - 7 * DAY_MS);
  const oldest = idBound('int', new Date(before.getTime() - LOOKBACK_DAYS * DAY_MS));
  const [row] = await analyze<CountRow>(db, tenant, COUNT_WEEKS, [oldest, before, from, until, now, weekAgo]);
  if (row === undefined) throw new Error('counting the intros of a week returned no row');
  const count = (name: Names): WeekCount => ({ now: row[`${name}_now`], before: row[`${name}_before`] });
  return {
    requested: count('requested'),
    sent: count('sent'),
    watched: count('watched'),
    answered: count('answered'),
    waiting: count('waiting'),
  };
}

const LONGEST_WAITING = {
  name: 'list longest waiting',
  text: `
select i.id, i.recipient_first_name, i.recipient_last_name, t.name as touchpoint_name, i.member_id,
  m.first_name as member_first_name, m.last_name as member_last_name, i.created_at, i.expires_at
from (
  select * from intros where organization_id = $1 and environment = $2 and status = 'requested' order by id limit $3
) i
join members m on m.organization_id = i.organization_id and m.id = i.member_id
left join touchpoints t
  on t.slug = i.touchpoint_slug and t.organization_id = i.organization_id and t.environment = i.environment
order by i.id`,
};

/** The intros that have waited the longest to be recorded. */
export async function listLongestWaiting(
  { pool }: Database,
  tenant: Tenant,
  limit: number,
): Promise<readonly WaitingRow[]> {
  return (await queryForTenant<WaitingRow>(pool, tenant, LONGEST_WAITING, [limit])).rows;
}
