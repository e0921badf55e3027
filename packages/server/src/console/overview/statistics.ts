import {
  DAY_MS,
  type IntroStatistics,
  iso,
  type MemberStatistics,
  type Overview,
  type OverviewDays,
  type OverviewIssue,
  type TouchpointStatistics,
} from '@foreword/contract';
import type { Tenant } from '../../db/tenancy.ts';
import { readAccount } from '../../delivery/index.ts';
import { listFailingTouchpoints } from '../../intros/events/index.ts';
import { countOutcomes, type OutcomeCounts, type OutcomeStatistics, readMemberTimes } from '../../intros/index.ts';
import { listBounced, listNames, listNeverRecorded, listSharedEmails } from '../../members/index.ts';
import { ApiError } from '../../platform/errors.ts';
import { pick } from '../../platform/json.ts';
import { listTouchpoints } from '../../touchpoints/index.ts';
import { listEndpoints } from '../../webhooks/index.ts';
import type { ConsoleDeps } from '../deps.ts';
import { requireOrganization } from '../operations.ts';
import { addUp, datesUntil, recordingTimes, startOfDate } from './rules.ts';

/** Members beyond this are included only in the totals. */
const MEMBERS_LISTED = 100;
/** PostgreSQL's error code for a statement timeout. */
const STATEMENT_TIMEOUT = '57014';

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
  { db }: ConsoleDeps,
  tenant: Tenant,
  rows: OutcomeStatistics['byTouchpoint'],
): Promise<TouchpointStatistics[]> {
  const names = new Map((await listTouchpoints(db.kysely, tenant)).map(({ slug, name }) => [slug, name]));
  return [...Map.groupBy(rows, ({ slug }) => slug)]
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
  { db }: ConsoleDeps,
  tenant: Tenant,
  { rows, from }: { rows: OutcomeStatistics['byMember']; from: Date },
) {
  const groups = [...Map.groupBy(rows, ({ member }) => member)]
    .map(([key, group]) => ({ key, group, ...addUp(group) }))
    .sort(busiestFirst);
  const listed = groups.slice(0, MEMBERS_LISTED);
  const ids = listed.map(({ key }) => key);
  const names = new Map((await listNames(db, tenant, ids)).map((member) => [member.id, member]));
  const times = Map.groupBy(
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
export async function readStatistics(deps: ConsoleDeps, tenant: Tenant, days: OverviewDays): Promise<Overview> {
  const { timezone } = await requireOrganization(deps.db.kysely, tenant);
  const now = deps.clock();
  const dates = datesUntil(now, days, timezone);
  const [from = now, ...later] = dates.map((date) => startOfDate(date, timezone));
  const statistics = await withTimeoutError(countOutcomes(deps.db, tenant, [from, ...later]));
  const counted = [...statistics.byDay.values()];
  const { members, more } = await byMember(deps, tenant, { rows: statistics.byMember, from });
  return {
    days,
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

const WEEK_MS = 7 * DAY_MS;
/** A longer list has one cause to fix, so more lines would not help. */
const MAX_PER_KIND = 5;
const NEVER_RECORDED_LIMIT = 21;
const NEVER_RECORDED_SHOWN = 3;

async function findCarrierIssues({ db, carrierWatch }: ConsoleDeps, tenant: Tenant): Promise<OverviewIssue[]> {
  const { text, email } = carrierWatch.states();
  // Only the service's own carrier account is monitored, not an organization's.
  const usesOwn = (await readAccount(db.kysely, tenant)) !== null;
  const states = [
    { channel: 'text', status: usesOwn ? 'ok' : text },
    { channel: 'email', status: email },
  ] as const;
  return states.flatMap(({ channel, status }): OverviewIssue[] =>
    status === 'ok' || status === 'unknown' ? [] : [{ kind: 'carrier', channel, status }],
  );
}

async function findWebhookIssues({ db }: ConsoleDeps, tenant: Tenant): Promise<OverviewIssue[]> {
  const endpoints = await listEndpoints(db.kysely, tenant);
  return endpoints
    .filter(({ active, disabled_reason, failing_since }) =>
      active ? failing_since !== null : disabled_reason !== null,
    )
    .slice(0, MAX_PER_KIND)
    .map(({ id, url, disabled_reason, failing_since }) => ({
      kind: 'webhook',
      id,
      host: new URL(url).host,
      disabled: disabled_reason,
      failing_since: iso(failing_since),
    }));
}

async function findMemberIssues({ db, clock }: ConsoleDeps, tenant: Tenant): Promise<OverviewIssue[]> {
  const createdBefore = new Date(clock().getTime() - WEEK_MS);
  const never = await listNeverRecorded(db, tenant, { createdBefore, limit: NEVER_RECORDED_LIMIT });
  const members = never
    .slice(0, NEVER_RECORDED_SHOWN)
    .map(({ id, first_name, last_name }) => ({ id, first_name, last_name }));
  const shared = await listSharedEmails(db, tenant, MAX_PER_KIND);
  const bounced = await listBounced(db.kysely, tenant, MAX_PER_KIND);
  return [
    ...(never.length > 0 ? [{ kind: 'never_recorded', amount: never.length, members } as const] : []),
    ...bounced.map((member) => ({ kind: 'email_bounces', ...member }) as const),
    ...shared.map(({ email, amount }) => ({ kind: 'shared_email', email, amount }) as const),
  ];
}

async function findEventIssues({ db, clock }: ConsoleDeps, tenant: Tenant): Promise<OverviewIssue[]> {
  const since = new Date(clock().getTime() - WEEK_MS);
  const failing = await listFailingTouchpoints(db, tenant, { since, limit: MAX_PER_KIND });
  return failing.map((row) => ({
    kind: 'failed_events',
    ...pick(row, 'slug', 'name', 'amount', 'last_event_id', 'last_code'),
  }));
}

/** Problems that the team should look at, the most serious first. */
export async function findIssues(deps: ConsoleDeps, tenant: Tenant): Promise<readonly OverviewIssue[]> {
  const found = await Promise.all([
    findCarrierIssues(deps, tenant),
    findWebhookIssues(deps, tenant),
    findEventIssues(deps, tenant),
    findMemberIssues(deps, tenant),
  ]);
  return found.flat();
}
