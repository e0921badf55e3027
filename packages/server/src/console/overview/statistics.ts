import type {
  IntroStatistics,
  MemberStatistics,
  Overview,
  OverviewDays,
  TouchpointStatistics,
} from '@foreword/contract';
import type { Tenant } from '../../db/tenancy.ts';
import { countOutcomes, type OutcomeCounts, type OutcomeStatistics, readMemberTimes } from '../../intros/index.ts';
import { listNames } from '../../members/index.ts';
import { ApiError } from '../../platform/errors.ts';
import { listTouchpoints } from '../../touchpoints/index.ts';
import type { ConsoleDeps } from '../deps.ts';
import { requireOrganization } from '../organization.ts';
import { addUp, datesUntil, groupBy, recordingTimes, startOfDate } from './rules.ts';

/** Members beyond this are included only in the totals. */
const MEMBERS_LISTED = 100;
/** PostgreSQL's error code for a statement timeout. */
const STATEMENT_TIMEOUT = '57014';

type Deps = Pick<ConsoleDeps, 'db' | 'clock'>;

const NOTHING: IntroStatistics = { requested: 0, recorded: 0, sent: 0, opened: 0, watched: 0 };
/** Breaks ties by key, so that the order is stable between requests. */
const busiestFirst = (a: IntroStatistics & { key: string }, b: IntroStatistics & { key: string }): number =>
  b.requested - a.requested || b.recorded - a.recorded || (a.key < b.key ? -1 : 1);

/** Explains a statement that took too long. */
export async function withTimeoutError<T>(
  work: Promise<T>,
  advice = 'Choose fewer days, or try again in a moment.',
): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    if ((cause as { code?: unknown }).code !== STATEMENT_TIMEOUT) throw cause;
    throw new ApiError('service_unavailable', `The statistics took too long. ${advice}`, { cause });
  }
}

async function byTouchpoint(
  { db }: Deps,
  tenant: Tenant,
  rows: OutcomeStatistics['byTouchpoint'],
): Promise<TouchpointStatistics[]> {
  const names = new Map((await listTouchpoints(db.kysely, tenant)).map(({ slug, name }) => [slug, name]));
  return [...groupBy(rows, ({ slug }) => slug)]
    .map(([slug, group]) => ({ slug, group, key: slug ?? '', ...addUp(group) }))
    .sort(busiestFirst)
    .map(({ slug, group, key: _, ...sum }) => ({
      slug,
      name: slug === null ? null : (names.get(slug) ?? null),
      ...sum,
      ...recordingTimes(group),
    }));
}

async function byMember(
  { db }: Deps,
  tenant: Tenant,
  { rows, from }: { rows: OutcomeStatistics['byMember']; from: Date },
) {
  const groups = [...groupBy(rows, ({ member }) => member)]
    .map(([key, group]) => ({ key, group, ...addUp(group) }))
    .sort(busiestFirst);
  const listed = groups.slice(0, MEMBERS_LISTED);
  const ids = listed.map(({ key }) => key);
  const names = new Map((await listNames(db, tenant, ids)).map((member) => [member.id, member]));
  const times = groupBy(
    await withTimeoutError(readMemberTimes(db, tenant, { from, members: ids })),
    ({ member }) => member,
  );
  const members = listed.flatMap(({ key, group: _, ...sum }): MemberStatistics[] => {
    const member = names.get(key);
    if (member === undefined) return [];
    const { first_name, last_name, active } = member;
    return [{ id: key, first_name, last_name, active, ...sum, ...recordingTimes(times.get(key) ?? []) }];
  });
  return { members, more: groups.length - listed.length };
}

const total = (rows: readonly OutcomeCounts[], name: 'cancelled' | 'expired'): number =>
  rows.reduce((sum, row) => sum + row[name], 0);

/** Results of the intros that were requested in the last days. */
export async function readStatistics(deps: Deps, tenant: Tenant, days: OverviewDays): Promise<Overview> {
  const { timezone } = await requireOrganization(deps.db.kysely, tenant);
  const now = deps.clock();
  const dates = datesUntil(now, days, timezone);
  const [from = now, ...later] = dates.map((date) => startOfDate(date, timezone));
  const statistics = await withTimeoutError(countOutcomes(deps.db, tenant, [from, ...later]));
  const counted = [...statistics.byDay.values()];
  const { members, more } = await byMember(deps, tenant, { rows: statistics.byMember, from });
  return {
    days,
    timezone,
    counted_at: now.toISOString(),
    total: {
      ...addUp(counted),
      ...recordingTimes(statistics.byTouchpoint),
      cancelled: total(counted, 'cancelled'),
      expired: total(counted, 'expired'),
    },
    by_day: dates.map((date, index) => ({ date, ...addUp([statistics.byDay.get(index) ?? NOTHING]) })),
    by_touchpoint: await byTouchpoint(deps, tenant, statistics.byTouchpoint),
    by_member: members,
    more_members: more,
  };
}
