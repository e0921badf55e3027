import type { Overview, Waiting } from '@foreword/contract';
import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { formatNumber, formatShare } from '../../format.ts';
import { OVERVIEW } from '../../texts/overview.ts';

interface FigureProps {
  label: string;
  /** Undefined while it loads. */
  value: ReactNode | undefined;
  isWarning?: boolean;
  status?: 'requested' | 'ready' | 'sent';
}

/** Opens the list that the figure counts. */
const Figure = ({ label, value, isWarning = false, status }: FigureProps) => (
  <li className={isWarning ? 'figure figure-warn' : 'figure'}>
    <Link to="/intros" search={status === undefined ? {} : { status }} className="figure-link">
      <span className="figure-label">{label}</span>
      <strong className="figure-value figures">
        {value ?? <span className="skeleton-line figure-skeleton" aria-hidden="true" />}
      </strong>
    </Link>
  </li>
);

interface FiguresProps {
  waiting: Waiting | undefined;
  overview: UseQueryResult<Overview, Error>;
  days: number;
}

/** The numbers of today, then those of the period. */
export function Figures({ waiting, overview: { data: overview, isError, isPlaceholderData }, days }: FiguresProps) {
  const count = (amount: number | undefined) =>
    waiting === undefined || amount === undefined ? undefined : OVERVIEW.upTo(amount, waiting.counted_up_to);
  const total = overview?.total;
  const failed = isError && total === undefined ? OVERVIEW.unknown : undefined;
  const watched = total && (
    <>
      {formatNumber(total.watched)}{' '}
      {total.sent > 0 && <span className="share">{formatShare(total.watched / total.sent)}</span>}
    </>
  );
  const isDue = (waiting?.due_soon ?? 0) > 0;
  return (
    <ul className="key-figures" aria-label={OVERVIEW.figuresTitle} aria-busy={isPlaceholderData || undefined}>
      <Figure label={OVERVIEW.toRecord} value={count(waiting?.to_record)} status="requested" />
      <Figure label={OVERVIEW.dueSoon} value={count(waiting?.due_soon)} isWarning={isDue} status="requested" />
      <Figure label={OVERVIEW.toSend} value={count(waiting?.to_send)} status="ready" />
      <Figure
        label={OVERVIEW.sent(days)}
        value={total === undefined ? failed : formatNumber(total.sent)}
        status="sent"
      />
      <Figure label={OVERVIEW.watched(days)} value={watched ?? failed} status="sent" />
    </ul>
  );
}
