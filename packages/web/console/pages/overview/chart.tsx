import type { DayStatistics } from '@foreword/contract';
import { useId, useState } from 'react';
import { formatNumber, formatTime } from '../../format.ts';
import { Card } from '../../parts/card.tsx';
import { Segmented } from '../../parts/choices.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { OVERVIEW } from '../../texts/overview.ts';

/** The steps an intro can reach after it is requested. */
export const MEASURES = ['recorded', 'sent', 'opened', 'watched'] as const;
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
      <span className="chart-top" aria-hidden="true">
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
      <div className="chart-days" aria-hidden="true">
        <span>{formatDate(days[0]?.date ?? '')}</span>
        <span>{formatDate(days.at(-1)?.date ?? '')}</span>
      </div>
    </div>
  );
}

/** Requested intros per day, and how many reached the chosen step. */
export function DayChart({ days }: { days: readonly DayStatistics[] }) {
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
        <figcaption id={id} className="chart-legend">
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
