import type {
  DayStatistics,
  IntroStatistics,
  MemberStatistics,
  Overview,
  OverviewDays,
  TouchpointStatistics,
} from '@foreword/contract';
import { OVERVIEW_DAYS } from '@foreword/contract/plain';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { formatDuration, formatName, formatNumber, formatShare, formatTime } from '../../format.ts';
import { AnchorButton } from '../../parts/button.tsx';
import { Card } from '../../parts/display.tsx';
import { Segmented } from '../../parts/form.tsx';
import { ObjectLink, TouchpointLink } from '../../parts/object-link.tsx';
import { Loaded } from '../../parts/states.tsx';
import { type Column, Count, Table } from '../../parts/table.tsx';
import { load } from '../../queries.ts';
import { useSearchChange } from '../../search-params.ts';
import { useSession } from '../../session.ts';
import { NO_TOUCHPOINT } from '../../texts.ts';
import { OVERVIEW } from './texts.ts';

/** The steps an intro can reach after it is requested. */
const MEASURES = ['recorded', 'sent', 'opened', 'watched'] as const;

/** A calendar date has no time zone, so it is formatted in UTC. */
const formatDate = (date: string): string => formatTime(`${date}T12:00:00Z`, 'date', 'UTC');

/** The counts that all tables have as columns. */
const countColumns = <Row extends IntroStatistics>(): readonly Column<Row>[] => [
  { name: OVERVIEW.figure.requested, number: true, render: ({ requested }) => formatNumber(requested) },
  ...MEASURES.map(
    (name): Column<Row> => ({
      name: OVERVIEW.figure[name],
      number: true,
      render: (row) => <Count part={row[name]} whole={row.requested} />,
    }),
  ),
];

const DAY_COLUMNS: readonly Column<DayStatistics>[] = [
  { name: 'Day', main: true, render: ({ date }) => formatDate(date) },
  ...countColumns<DayStatistics>(),
];

const percentOf = (part: number, whole: number): string => (whole === 0 ? '0%' : `${(part / whole) * 100}%`);

function Bars({ days }: { days: readonly DayStatistics[] }) {
  const top = Math.max(1, ...days.map(({ requested }) => requested));
  const sum = (name: 'requested' | 'recorded'): number => days.reduce((all, day) => all + day[name], 0);
  return (
    <>
      <span className="hint figures" aria-hidden="true">
        {formatNumber(top)}
      </span>
      <div className="chart-bars" role="img" aria-label={OVERVIEW.chartLabel(sum('requested'), sum('recorded'))}>
        {days.map(({ date, requested, recorded }) => (
          <span key={date} title={OVERVIEW.chartDay(formatDate(date), requested, recorded)}>
            <span className="bar-whole" style={{ height: percentOf(requested, top) }}>
              <span className="bar-part" style={{ height: percentOf(recorded, requested) }} />
            </span>
          </span>
        ))}
      </div>
      <div className="hint line between" aria-hidden="true">
        <span>{formatDate(days[0]?.date ?? '')}</span>
        <span>{formatDate(days.at(-1)?.date ?? '')}</span>
      </div>
    </>
  );
}

/** Requested intros per day, and how many of them were recorded. The table has the other steps. */
function DayChart({ days }: { days: readonly DayStatistics[] }) {
  const id = useId();
  return (
    <>
      <figure aria-labelledby={id}>
        <figcaption id={id} className="hint wrap gap-16">
          <span className="line gap-8 chart-key chart-key-part">{OVERVIEW.figure.recorded}</span>
          <span className="line gap-8 chart-key">Other requested intros</span>
        </figcaption>
        <Bars days={days} />
      </figure>
      <details>
        <summary>Show as a table</summary>
        <Table
          caption={OVERVIEW.views.day}
          columns={DAY_COLUMNS}
          rows={[...days].reverse()}
          keyOf={({ date }) => date}
        />
      </details>
    </>
  );
}

const Funnel = ({ total }: { total: IntroStatistics }) => (
  <ol className="grid gap-12">
    {(['requested', ...MEASURES] as const).map((name) => (
      <li key={name} className="grid middle gap-12 funnel-step">
        <span className="hint">{OVERVIEW.figure[name]}</span>
        <span className="funnel-bar" aria-hidden="true">
          <span style={{ width: percentOf(total[name], total.requested) }} />
        </span>
        <strong className="number">{formatNumber(total[name])}</strong>
        <span className="hint number">
          {name !== 'requested' && (
            <>
              {formatShare(total[name] / total.requested)} <span className="sr">of all requested</span>
            </>
          )}
        </span>
      </li>
    ))}
  </ol>
);

const medianColumn = <Row extends { readonly median_ms: number | null }>(): Column<Row> => ({
  name: 'Time to record',
  number: true,
  render: ({ median_ms }) => (median_ms === null ? 'none' : formatDuration(median_ms)),
});

const TOUCHPOINT_COLUMNS: readonly Column<TouchpointStatistics>[] = [
  {
    name: 'Touchpoint',
    main: true,
    render: ({ slug, name }) =>
      slug === null || name === null ? (slug ?? NO_TOUCHPOINT) : <TouchpointLink slug={slug} name={name} />,
  },
  ...countColumns<TouchpointStatistics>(),
  medianColumn(),
];

const MEMBER_COLUMNS: readonly Column<MemberStatistics>[] = [
  {
    name: 'Member',
    main: true,
    render: (member) => (
      <>
        <ObjectLink id={member.id} name={formatName(member)} />
        {!member.active && <span className="hint"> deactivated</span>}
      </>
    ),
  },
  ...countColumns<MemberStatistics>(),
  medianColumn(),
];

const VIEWS = ['total', 'day', 'touchpoint', 'member'] as const;
type View = (typeof VIEWS)[number];

function Total({ overview: { total, days, counted_at } }: { overview: Overview }) {
  const { timezone } = useSession().organization;
  const { median_ms, p90_ms, cancelled, expired } = total;
  return (
    <>
      <p className="lead">{OVERVIEW.resultsLead(total.requested, days)}</p>
      <Funnel total={total} />
      <p className="lead">
        {median_ms !== null && p90_ms !== null && (
          <>{OVERVIEW.times(formatDuration(median_ms), formatDuration(p90_ms))} </>
        )}
        {cancelled + expired > 0 && OVERVIEW.closed(cancelled, expired)} Updated{' '}
        {formatTime(counted_at, 'timeZone', timezone)}
      </p>
    </>
  );
}

function Shown({ view, overview }: { view: View; overview: Overview }) {
  const { by_day, by_touchpoint, by_member, more_members } = overview;
  switch (view) {
    case 'total':
      return <Total overview={overview} />;
    case 'day':
      return <DayChart days={by_day} />;
    case 'touchpoint':
      return (
        <Table
          caption={OVERVIEW.views.touchpoint}
          columns={TOUCHPOINT_COLUMNS}
          rows={by_touchpoint}
          keyOf={({ slug }) => slug ?? ''}
        />
      );
    case 'member':
      return (
        <>
          <Table caption={OVERVIEW.views.member} columns={MEMBER_COLUMNS} rows={by_member} keyOf={({ id }) => id} />
          {more_members > 0 && <p className="lead">{OVERVIEW.moreMembers(more_members)}</p>}
        </>
      );
  }
}

/** The period, in the URL, and its intros as CSV. */
function Period({ days }: { days: OverviewDays }) {
  const change = useSearchChange<{ readonly days?: OverviewDays }>();
  return (
    <div className="wrap middle gap-12">
      <Segmented
        label="Period"
        value={String(days)}
        onChange={(text) => change({ days: OVERVIEW_DAYS.find((one) => String(one) === text) })}
        options={OVERVIEW_DAYS.map((value) => ({ value: String(value), label: OVERVIEW.days[value] }))}
      />
      <AnchorButton
        kind="quiet"
        small
        icon="download"
        href={`/console/export/intros.csv?days=${days}`}
        download
        label="Export as CSV"
      />
    </div>
  );
}

/** The results of a period stay until those of another one have loaded. */
export const overviewQuery = (days: OverviewDays) =>
  queryOptions({
    ...load(['overview', days], 'GET /overview', { query: { days } }),
    placeholderData: keepPreviousData,
  });

/** Results of the requested intros: in total, by day, by touchpoint, or by member. */
export function Results({ days }: { days: OverviewDays }) {
  const [view, setView] = useState<View>('total');
  const query = overviewQuery(days);
  const { isPlaceholderData } = useQuery(query);
  const tabs = (
    <Segmented
      label={OVERVIEW.resultsTitle}
      value={view}
      onChange={setView}
      options={VIEWS.map((value) => ({ value, label: OVERVIEW.views[value] }))}
    />
  );
  return (
    <Card title={OVERVIEW.resultsTitle} actions={<Period days={days} />}>
      <Loaded query={query} skeleton={<span className="skeleton-line results-skeleton" />}>
        {(overview) => (
          <div className="stack results" aria-busy={isPlaceholderData || undefined}>
            {overview.total.requested === 0 ? (
              <p className="lead">{OVERVIEW.resultsNone(overview.days)}</p>
            ) : (
              <>
                {tabs}
                <Shown view={view} overview={overview} />
              </>
            )}
          </div>
        )}
      </Loaded>
    </Card>
  );
}
