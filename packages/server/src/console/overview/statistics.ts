import type {
  IntroStatistics,
  MemberStatistics,
  Overview,
  OverviewDays,
  TouchpointStatistics,
} from '@foreword/contract';
import { countOutcomes, type OutcomeCounts, type OutcomeStatistics, readMemberTimes } from '../../intros/index.ts';
import { listNames } from '../../members/index.ts';
import { findOrganization } from '../../organizations/index.ts';
import { ApiError } from '../../platform/errors.ts';
import type { Tenant } from '../../tables.ts';
import { listTouchpoints } from '../../touchpoints/index.ts';
import type { ConsoleDeps } from '../deps.ts';
import { addUp, datesUntil, groupBy, recordingTimes, startOfDate } from './rules.ts';

/** More than anybody reads; who is not among them is counted in the totals. */
const MEMBERS_LISTED = 100;
/** PostgreSQL gave up after the time that it had. */
const CANCELLED_BY_TIMEOUT = '57014';

type Deps = Pick<ConsoleDeps, 'db' | 'clock'>;

const NOTHING: IntroStatistics = { requested: 0, recorded: 0, sent: 0, opened: 0, watched: 0 };
/** Ties in an order of their own, so that a list does not dance. */
const busiestFirst = (a: IntroStatistics & { key: string }, b: IntroStatistics & { key: string }): number =>
  b.requested - a.requested || b.recorded - a.recorded || (a.key < b.key ? -1 : 1);

async function inTime<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    if ((cause as { code?: unknown }).code !== CANCELLED_BY_TIMEOUT) throw cause;
    throw new ApiError('service_unavailable', 'Counting took too long. Choose fewer days, or try again in a moment.', {
      cause,
    });
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
  const times = groupBy(await inTime(readMemberTimes(db, tenant, { from, members: ids })), ({ member }) => member);
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

/** What became of the intros that were asked for in these days. */
export async function readStatistics(deps: Deps, tenant: Tenant, days: OverviewDays): Promise<Overview> {
  const organization = await findOrganization(deps.db.kysely, tenant.organizationId);
  if (organization === null) throw new ApiError('not_found', 'This organization is gone.');
  const { timezone } = organization;
  const now = deps.clock();
  const dates = datesUntil(now, days, timezone);
  const [from = now, ...later] = dates.map((date) => startOfDate(date, timezone));
  const figures = await inTime(countOutcomes(deps.db, tenant, [from, ...later]));
  const counted = [...figures.byDay.values()];
  const { members, more } = await byMember(deps, tenant, { rows: figures.byMember, from });
  return {
    days,
    timezone,
    counted_at: now.toISOString(),
    total: {
      ...addUp(counted),
      ...recordingTimes(figures.byTouchpoint),
      cancelled: total(counted, 'cancelled'),
      expired: total(counted, 'expired'),
    },
    by_day: dates.map((date, index) => ({ date, ...addUp([figures.byDay.get(index) ?? NOTHING]) })),
    by_touchpoint: await byTouchpoint(deps, tenant, figures.byTouchpoint),
    by_member: members,
    more_members: more,
  };
}
