import type {
  DayStatistics,
  IntroStatistics,
  MemberStatistics,
  Overview,
  TouchpointStatistics,
} from '@foreword/contract';
import { Link } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { formatDuration, formatName, formatNumber, formatShare, formatTime } from '../../format.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/display.tsx';
import { Segmented } from '../../parts/form.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { useSession } from '../../session.ts';
import { FRAME, NO_TOUCHPOINT } from '../../texts.ts';
import { OVERVIEW } from './texts.ts';

/** The steps an intro can reach after it is requested. */
const MEASURES = ['recorded', 'sent', 'opened', 'watched'] as const;
type Measure = (typeof MEASURES)[number];

/** Sizes in SVG units; the drawing stretches to the available width. */
const STEP = 10;
const HEIGHT = 100;
const GAP = 2;

/** A calendar date has no time zone, so it is formatted in UTC. */
const formatDate = (date: string): string => formatTime(`${date}T12:00:00Z`, 'date', 'UTC');

const ROUND = [1, 1.5, 2, 3, 4, 5, 6, 8, 10];

/** The top of the axis: the next round number. */
function roundTop(most: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, most)));
  return ROUND.map((factor) => factor * power).find((top) => top >= most && Number.isInteger(top)) ?? most;
}

const COLUMNS: readonly Column<DayStatistics>[] = [
  { name: OVERVIEW.date, main: true, render: ({ date }) => formatDate(date) },
  ...(['requested', ...MEASURES] as const).map(
    (name): Column<DayStatistics> => ({
      name: OVERVIEW.figure[name],
      number: true,
      render: (day) => formatNumber(day[name]),
    }),
  ),
];

function Bars({ days, measure, top }: { days: readonly DayStatistics[]; measure: Measure; top: number }) {
  const height = (amount: number): number => (amount / top) * HEIGHT;
  return days.map((day, index) => {
    const [whole, part] = [height(day.requested), height(day[measure])];
    const position = { x: index * STEP + GAP / 2, width: STEP - GAP };
    return (
      <g key={day.date}>
        <title>{OVERVIEW.chartDay(formatDate(day.date), day.requested, day[measure], OVERVIEW.figure[measure])}</title>
        {/* Full height, so that the tooltip is easy to reach. */}
        <rect className="bar-hit-area" {...position} y={0} height={HEIGHT} />
        <rect className="bar-whole" {...position} y={HEIGHT - whole} height={whole} />
        <rect className="bar-part" {...position} y={HEIGHT - part} height={part} />
      </g>
    );
  });
}

function Drawing({ days, measure }: { days: readonly DayStatistics[]; measure: Measure }) {
  const most = Math.max(...days.map(({ requested }) => requested));
  const top = roundTop(most);
  const sum = (name: 'requested' | Measure): number => days.reduce((all, day) => all + day[name], 0);
  const best = days.find(({ requested }) => requested === most);
  const label = OVERVIEW.chartLabel(
    OVERVIEW.figure[measure],
    sum('requested'),
    sum(measure),
    best === undefined ? '' : formatDate(best.date),
  );
  return (
    <div className="chart">
      <span className="hint figures chart-top" aria-hidden="true">
        {formatNumber(top)}
      </span>
      <svg
        className="chart-bars"
        viewBox={`0 0 ${days.length * STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={label}
      >
        <Bars days={days} measure={measure} top={top} />
      </svg>
      <div className="hint between chart-days" aria-hidden="true">
        <span>{formatDate(days[0]?.date ?? '')}</span>
        <span>{formatDate(days.at(-1)?.date ?? '')}</span>
      </div>
    </div>
  );
}

/** Requested intros per day, and how many reached the chosen step. */
function DayChart({ days }: { days: readonly DayStatistics[] }) {
  const [measure, setMeasure] = useState<Measure>('recorded');
  const id = useId();
  const choice = (
    <Segmented
      label={OVERVIEW.chartMeasure}
      value={measure}
      onChange={setMeasure}
      options={MEASURES.map((name) => ({ value: name, label: OVERVIEW.figure[name] }))}
    />
  );
  return (
    <Card title={OVERVIEW.chartTitle} actions={choice}>
      <figure aria-labelledby={id}>
        <figcaption id={id} className="hint wrap chart-legend">
          <span className="chart-key chart-key-part">{OVERVIEW.figure[measure]}</span>
          <span className="chart-key">{OVERVIEW.chartRest}</span>
        </figcaption>
        <Drawing days={days} measure={measure} />
      </figure>
      <details className="chart-table">
        <summary>{OVERVIEW.chartTable}</summary>
        <Table caption={OVERVIEW.chartTitle} columns={COLUMNS} rows={days.toReversed()} keyOf={({ date }) => date} />
      </details>
    </Card>
  );
}

/** Rows shown before "Show all". */
const COLLAPSED_ROWS = 6;

const shareOf = (part: number, whole: number): string => (whole === 0 ? '' : formatShare(part / whole));

function Funnel({ total }: { total: IntroStatistics }) {
  return (
    <ol className="grid gap-12 funnel">
      {(['requested', ...MEASURES] as const).map((name) => (
        <li key={name} className="grid middle gap-12 funnel-step">
          <span className="funnel-name">{OVERVIEW.figure[name]}</span>
          <strong className="bold figures funnel-amount">{formatNumber(total[name])}</strong>
          <span className="funnel-bar" aria-hidden="true">
            <span style={{ width: total.requested === 0 ? '0%' : `${(total[name] / total.requested) * 100}%` }} />
          </span>
          <span className="funnel-share">
            {name !== 'requested' && (
              <>
                {shareOf(total[name], total.requested)} <span className="sr">{OVERVIEW.shareOfRequested}</span>
              </>
            )}
          </span>
        </li>
      ))}
    </ol>
  );
}

function Part({ part, whole }: { part: number; whole: number }) {
  return (
    <span className="nowrap">
      {formatNumber(part)} <span className="share">{shareOf(part, whole)}</span>
    </span>
  );
}

type FigureRow = IntroStatistics & { readonly median_ms: number | null };

const figureColumns = <Row extends FigureRow>(): readonly Column<Row>[] => [
  { name: OVERVIEW.figure.requested, number: true, render: ({ requested }) => formatNumber(requested) },
  ...MEASURES.map(
    (name): Column<Row> => ({
      name: OVERVIEW.figure[name],
      number: true,
      render: (row) => <Part part={row[name]} whole={row.requested} />,
    }),
  ),
  {
    name: OVERVIEW.median,
    number: true,
    render: ({ median_ms }) => (median_ms === null ? OVERVIEW.none : formatDuration(median_ms)),
  },
];

const TOUCHPOINT_COLUMNS: readonly Column<TouchpointStatistics>[] = [
  {
    name: OVERVIEW.touchpoint,
    main: true,
    render: ({ slug, name }) =>
      slug === null || name === null ? (
        (slug ?? NO_TOUCHPOINT)
      ) : (
        <Link to="/touchpoints/$slug" params={{ slug }}>
          {name}
        </Link>
      ),
  },
  ...figureColumns<TouchpointStatistics>(),
];

const MEMBER_COLUMNS: readonly Column<MemberStatistics>[] = [
  {
    name: OVERVIEW.member,
    main: true,
    render: (member) => (
      <>
        <Link to="/members/$id" params={{ id: member.id }}>
          {formatName(member)}
        </Link>
        {!member.active && <span className="share"> {OVERVIEW.inactive}</span>}
      </>
    ),
  },
  ...figureColumns<MemberStatistics>(),
];

interface ListingProps<Row> {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** Text below the last row. */
  more?: string | undefined;
}

function Listing<Row>({ caption, columns, rows, keyOf, more }: ListingProps<Row>) {
  const [all, setAll] = useState(false);
  const shown = all ? rows : rows.slice(0, COLLAPSED_ROWS);
  return (
    <>
      <Table caption={caption} columns={columns} rows={shown} keyOf={keyOf} />
      {shown.length === rows.length && more !== undefined && <p className="lead">{more}</p>}
      {rows.length > COLLAPSED_ROWS && (
        <div className="overview-all">
          <Button kind="plain" small aria-expanded={all} onClick={() => setAll(!all)}>
            {all ? OVERVIEW.showFewer : OVERVIEW.showAll(rows.length)}
          </Button>
        </div>
      )}
    </>
  );
}

/** One table at a time: both have the same columns. */
function Breakdown({ overview: { by_touchpoint, by_member, more_members } }: { overview: Overview }) {
  const [by, setBy] = useState<'touchpoint' | 'member'>('touchpoint');
  const choice = (
    <Segmented
      label={OVERVIEW.breakdown}
      value={by}
      onChange={setBy}
      options={[
        { value: 'touchpoint', label: OVERVIEW.byTouchpoint },
        { value: 'member', label: OVERVIEW.byMember },
      ]}
    />
  );
  return (
    <Card title={OVERVIEW.breakdown} actions={choice}>
      {by === 'touchpoint' ? (
        <Listing
          key={by}
          caption={OVERVIEW.byTouchpoint}
          columns={TOUCHPOINT_COLUMNS}
          rows={by_touchpoint}
          keyOf={({ slug }) => slug ?? ''}
        />
      ) : (
        <Listing
          key={by}
          caption={OVERVIEW.byMember}
          columns={MEMBER_COLUMNS}
          rows={by_member}
          keyOf={({ id }) => id}
          more={more_members > 0 ? OVERVIEW.moreMembers(more_members) : undefined}
        />
      )}
    </Card>
  );
}

/** As high as the results. */
export const ResultsSkeleton = () => (
  <div className="results" role="status">
    <span className="sr">{FRAME.loading}</span>
    <div className="column gap-20 overview-columns">
      <span className="skeleton-line results-skeleton" />
      <span className="skeleton-line results-skeleton" />
    </div>
  </div>
);

/** Results of the requested intros: in total, by day, by touchpoint, and by member. */
export function Results({ overview, isOld }: { overview: Overview; isOld: boolean }) {
  const { timezone } = useSession().organization;
  const { total, days, by_day, counted_at } = overview;
  if (total.requested === 0) {
    return (
      <Card title={OVERVIEW.resultsTitle}>
        <p className="lead">{OVERVIEW.resultsNone(days)}</p>
      </Card>
    );
  }
  const { median_ms, p90_ms, cancelled, expired } = total;
  return (
    <div className="results" aria-busy={isOld || undefined}>
      <div className="column gap-20 overview-columns">
        <Card title={OVERVIEW.resultsTitle} lead={OVERVIEW.resultsLead(total.requested, days)}>
          <Funnel total={total} />
          <p className="lead">
            {median_ms !== null && p90_ms !== null && (
              <>{OVERVIEW.times(formatDuration(median_ms), formatDuration(p90_ms))} </>
            )}
            {cancelled + expired > 0 && OVERVIEW.closed(cancelled, expired)}
          </p>
        </Card>
        <DayChart days={by_day} />
      </div>
      <Breakdown overview={overview} />
      <p className="lead overview-counted">{OVERVIEW.updated(formatTime(counted_at, 'timeZone', timezone))}</p>
    </div>
  );
}
