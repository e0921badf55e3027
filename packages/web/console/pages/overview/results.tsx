import type { IntroStatistics, MemberStatistics, Overview, TouchpointStatistics } from '@foreword/contract';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { formatDuration, formatName, formatNumber, formatShare, formatTime } from '../../format.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Segmented } from '../../parts/choices.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { useSession } from '../../session.ts';
import { FRAME, NO_TOUCHPOINT } from '../../texts/common.ts';
import { OVERVIEW } from '../../texts/overview.ts';
import { DayChart, MEASURES } from './chart.tsx';

/** Rows shown before "Show all". */
const COLLAPSED_ROWS = 6;

const shareOf = (part: number, whole: number): string => (whole === 0 ? '' : formatShare(part / whole));

function Funnel({ total }: { total: IntroStatistics }) {
  return (
    <ol className="funnel">
      {(['requested', ...MEASURES] as const).map((name) => (
        <li key={name} className="funnel-step">
          <span className="funnel-name">{OVERVIEW.figure[name]}</span>
          <strong className="funnel-amount">{formatNumber(total[name])}</strong>
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
    <span className="part">
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
      {shown.length === rows.length && more !== undefined && <p className="overview-soft">{more}</p>}
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
    <div className="overview-columns">
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
        <p className="overview-soft">{OVERVIEW.resultsNone(days)}</p>
      </Card>
    );
  }
  const { median_ms, p90_ms, cancelled, expired } = total;
  return (
    <div className="results" aria-busy={isOld || undefined}>
      <div className="overview-columns">
        <Card title={OVERVIEW.resultsTitle} lead={OVERVIEW.resultsLead(total.requested, days)}>
          <Funnel total={total} />
          <p className="overview-soft">
            {median_ms !== null && p90_ms !== null && (
              <>{OVERVIEW.times(formatDuration(median_ms), formatDuration(p90_ms))} </>
            )}
            {cancelled + expired > 0 && OVERVIEW.closed(cancelled, expired)}
          </p>
        </Card>
        <DayChart days={by_day} />
      </div>
      <Breakdown overview={overview} />
      <p className="overview-soft overview-counted">{OVERVIEW.updated(formatTime(counted_at, 'timeZone', timezone))}</p>
    </div>
  );
}
