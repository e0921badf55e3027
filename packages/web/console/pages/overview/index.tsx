/** The overview: what needs attention, figures, results and setup. */

import type { OverviewDays } from '@foreword/contract';
import { DEFAULT_OVERVIEW_DAYS } from '@foreword/contract/plain';
import { useQuery } from '@tanstack/react-query';
import { Link, type LinkProps, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { formatNumber, formatShare } from '../../format.ts';
import { LinkButton } from '../../parts/button.tsx';
import { PageHeader } from '../../parts/display.tsx';
import { EmptyState, errorOf, SkeletonRows } from '../../parts/states.tsx';
import { load } from '../../queries.ts';
import { FRAME, NAV, STATUS_NAMES } from '../../texts.ts';
import { formatUpToLimit } from '../intros/list-texts.ts';
import { areTextsStopped, PausedTexts, textLimitsQuery } from '../outbox/paused.tsx';
import { AttentionCard, attentionQuery } from './attention.tsx';
import { overviewQuery, Results } from './results.tsx';
import { Setup, useSetup } from './setup.tsx';
import { OVERVIEW } from './texts.ts';

interface FigureProps {
  label: string;
  /** Undefined while it loads. */
  value: ReactNode | undefined;
  isFailed: boolean;
  /** The list of exactly what is counted. */
  search: NonNullable<LinkProps['search']>;
}

const Figure = ({ label, value, isFailed, search }: FigureProps) => (
  <li>
    <Link to="/intros" search={search} className="grid gap-4 figure-link">
      <span className="hint">{label}</span>
      <strong className="figure-value figures">
        {value ?? (isFailed ? '–' : <span className="skeleton-line figure-skeleton" aria-hidden="true" />)}
      </strong>
    </Link>
  </li>
);

/** Open intros now, and the results of those of the period. */
function Figures({ days }: { days: OverviewDays }) {
  const overview = useQuery(overviewQuery(days));
  const { data: counts, isError } = useQuery(load(['intros', 'counts', undefined], 'GET /intro-counts'));
  const { total, by_day } = overview.data ?? {};
  const from = by_day?.[0]?.date;
  const sent = { delivery: 'sent,delivered', ...(from !== undefined && { from }) };
  const watched = total && (
    <>
      {formatNumber(total.watched)}{' '}
      {total.sent > 0 && <span className="hint">{formatShare(total.watched / total.sent)}</span>}
    </>
  );
  return (
    <ul className="key-figures" aria-label="Key figures" aria-busy={overview.isPlaceholderData || undefined}>
      {(['requested', 'ready'] as const).map((status) => (
        <Figure
          key={status}
          label={STATUS_NAMES[status]}
          value={counts && formatUpToLimit(counts.intros[status])}
          isFailed={isError}
          search={{ status }}
        />
      ))}
      <Figure
        label={`Sent in ${days} days`}
        value={total && formatNumber(total.sent)}
        isFailed={overview.isError}
        search={sent}
      />
      <Figure
        label={`Watched in ${days} days`}
        value={watched}
        isFailed={overview.isError}
        search={{ ...sent, watched: 'yes' }}
      />
    </ul>
  );
}

function Content() {
  const { days = DEFAULT_OVERVIEW_DAYS } = useSearch({ from: '/overview' });
  const limits = useQuery(textLimitsQuery);
  const setup = useSetup();
  const attention = useQuery(attentionQuery);
  const error = errorOf(setup, attention);
  if (error !== undefined) return error;
  // Together, so that the notices do not push the rest down.
  const isReady = setup.data !== undefined && attention.data !== undefined && limits.isFetched;
  if (!isReady) return <SkeletonRows rows={6} />;
  const { has_intro: hasIntro } = setup.data;
  const hasAttention = attention.data.items.length > 0 || (hasIntro && !areTextsStopped(limits.data));
  return (
    <div className="stack overview">
      <PausedTexts />
      {hasAttention && <AttentionCard attention={attention.data} />}
      <Setup setup={setup.data} />
      {hasIntro ? (
        <>
          <Figures days={days} />
          <Results days={days} />
        </>
      ) : (
        // Statistics would all be zero.
        <EmptyState title="No intros yet" icon="video">
          {OVERVIEW.emptyLead}
        </EmptyState>
      )}
    </div>
  );
}

export const OverviewPage = () => (
  <>
    <PageHeader title={NAV.overview} actions={<LinkButton to="/intros/new" icon="plus" label={FRAME.newIntro} />} />
    <Content />
  </>
);
