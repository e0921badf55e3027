/** The audit log. */

import type { Activity, ActivityEntry, AuditAction, AuditActor, AuditGroup } from '@foreword/contract';
import { getRouteApi } from '@tanstack/react-router';
import { type CallInput, call } from '../../api.ts';
import { formatTime } from '../../format.ts';
import { groupByDay } from '../../group-by-day.ts';
import { useLiveRefresh } from '../../live.ts';
import { AnchorButton, LinkButton } from '../../parts/button.tsx';
import { EmptyState, ErrorState, SkeletonRows } from '../../parts/loaded.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { Pager, usePages } from '../../parts/pager.tsx';
import { useNowMs, useZone } from '../../parts/time.tsx';
import type { ActivitySearch } from '../../search-params.ts';
import { mayActAs, useSession } from '../../session.ts';
import { ACTIVITY } from '../../texts/activity.ts';
import { Entry } from './entry.tsx';
import { ActivityFilters } from './filters.tsx';
import { Retention } from './retention.tsx';

const route = getRouteApi('/activity');
const DAY_MS = 86_400_000;

type Query = NonNullable<CallInput<'GET /activity'>['query']>;

/** A value with a dot is an action, another one a group of them. */
function queryOf({ q, actor, by, action, from, to }: ActivitySearch): Query {
  const isAction = action?.includes('.') ?? false;
  return {
    ...(q !== undefined && { q }),
    ...(actor !== undefined && { actor }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(by !== undefined && { actor_type: by as AuditActor }),
    ...(action !== undefined && (isAction ? { action: action as AuditAction } : { group: action as AuditGroup })),
  };
}

const exportUrl = (search: ActivitySearch): string => {
  const query = new URLSearchParams(Object.entries(queryOf(search)).map(([name, value]) => [name, String(value)]));
  return `/console/export/activity.csv${query.size > 0 ? `?${query}` : ''}`;
};

/** "Today" and "Yesterday" in the organization's time zone, otherwise the date. */
function useDayName(): (date: string) => string {
  const [zone, now] = [useZone(), useNowMs()];
  const dateAt = (ms: number) => formatTime(new Date(ms).toISOString(), 'day', zone);
  return (date) => (date === dateAt(now) ? ACTIVITY.today : date === dateAt(now - DAY_MS) ? ACTIVITY.yesterday : date);
}

function Days({ entries }: { entries: readonly ActivityEntry[] }) {
  const zone = useZone();
  const dayName = useDayName();
  return groupByDay(entries, zone).map(({ date, items: ofDay }) => (
    <section key={date} className="activity-day">
      <h2>{dayName(date)}</h2>
      <ol className="list" aria-label={ACTIVITY.list(date)}>
        {ofDay.map((entry) => (
          <li key={entry.id} className="list-row">
            <Entry entry={entry} />
          </li>
        ))}
      </ol>
    </section>
  ));
}

const Nothing = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? (
    <EmptyState
      icon="search"
      title={ACTIVITY.none}
      action={
        <LinkButton to="/activity" search={{}} replace kind="quiet">
          {ACTIVITY.clear}
        </LinkButton>
      }
    >
      {ACTIVITY.noneLead}
    </EmptyState>
  ) : (
    <EmptyState icon="clock" title={ACTIVITY.empty}>
      {ACTIVITY.emptyLead}
    </EmptyState>
  );

export function ActivityPage() {
  const search = route.useSearch();
  const isOwner = mayActAs(useSession().member.role, 'owner');
  const { rows, query } = usePages<Activity, ActivityEntry>({
    key: ['activity', search],
    fetch: (before, signal) =>
      call('GET /activity', { query: { ...queryOf(search), ...(before !== null && { before }) } }, signal),
    rowsOf: ({ entries }) => entries,
    nextOf: ({ next }) => next,
  });
  useLiveRefresh(query);
  const days = (query.data as { pages?: readonly Activity[] } | undefined)?.pages?.[0]?.keep_days;
  const actions = isOwner && (
    <>
      {days !== undefined && <Retention days={days} />}
      <AnchorButton kind="quiet" icon="download" href={exportUrl(search)} download title={ACTIVITY.exportHint}>
        {ACTIVITY.export}
      </AnchorButton>
    </>
  );
  return (
    <>
      <PageHeader
        title={ACTIVITY.title}
        lead={days === undefined ? ACTIVITY.lead : `${ACTIVITY.lead} ${ACTIVITY.keep(days)}`}
        {...(isOwner && { actions })}
      />
      <ActivityFilters search={search} />
      {rows === undefined &&
        (query.isError ? (
          <ErrorState error={query.error} retry={() => void query.refetch()} busy={query.isFetching} />
        ) : (
          <SkeletonRows rows={8} />
        ))}
      {rows?.length === 0 && <Nothing isFiltered={Object.keys(search).length > 0} />}
      {rows !== undefined && rows.length > 0 && <Days entries={rows} />}
      <Pager query={query} />
    </>
  );
}
