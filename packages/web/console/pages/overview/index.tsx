/** The overview: figures, charts, setup and problems. */

import type { Overview, SetupChecklist, Waiting } from '@foreword/contract';
import { DEFAULT_OVERVIEW_DAYS, OVERVIEW_DAYS } from '@foreword/contract/plain';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { formatNumber, formatShare } from '../../format.ts';
import { AnchorButton } from '../../parts/button.tsx';
import { PageHeader } from '../../parts/display.tsx';
import { Segmented } from '../../parts/form.tsx';
import { EmptyState, Loaded } from '../../parts/states.tsx';
import { load } from '../../queries.ts';
import { PausedTexts } from '../outbox/paused.tsx';
import { IssuesCard, isSetUp, SetupCard, useSetup } from './issues.tsx';
import { Results, ResultsSkeleton } from './results.tsx';
import { OVERVIEW } from './texts.ts';
import { DeclinedCard, RepliesCard, UnsentCard, useWaiting, WaitingCard, WaitingPlaceholder } from './waiting.tsx';

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
    <Link to="/intros" search={status === undefined ? {} : { status }} className="grid gap-4 figure-link">
      <span className="hint">{label}</span>
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
function Figures({ waiting, overview: { data: overview, isError, isPlaceholderData }, days }: FiguresProps) {
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

/** Everything loads at once. Each part has its place before its data arrives, or follows those that may still grow. */
function Dashboard({ setup }: { setup: SetupChecklist | undefined }) {
  const { days = DEFAULT_OVERVIEW_DAYS } = useSearch({ from: '/overview' });
  const waiting = useWaiting();
  const overview = useQuery({
    ...load(['overview', days], 'GET /overview', { query: { days } }),
    placeholderData: (before) => before,
  });
  return (
    <>
      <PausedTexts />
      <Figures waiting={waiting.data} overview={overview} days={days} />
      <div className="column gap-20 overview-columns">
        <div className="column gap-20 overview-column">
          {waiting.isPending ? (
            <WaitingPlaceholder />
          ) : (
            <>
              <DeclinedCard declined={waiting.data?.declined ?? []} />
              <UnsentCard unsent={waiting.data?.unsent ?? []} />
              <WaitingCard query={waiting} />
            </>
          )}
          <RepliesCard />
        </div>
        <div className="column gap-20 overview-column">
          <IssuesCard isNew={false} />
          {setup !== undefined && !isSetUp(setup) && <SetupCard setup={setup} />}
        </div>
      </div>
      {setup !== undefined && !waiting.isPending && (
        <Loaded query={overview} skeleton={<ResultsSkeleton />}>
          {(loaded) => <Results overview={loaded} isOld={overview.isPlaceholderData} />}
        </Loaded>
      )}
    </>
  );
}

/** Before the first intro, statistics would all be zero. */
const FirstDay = ({ setup }: { setup: SetupChecklist }) => (
  <div className="stack">
    <PausedTexts />
    {isSetUp(setup) ? (
      <EmptyState title={OVERVIEW.empty} icon="video">
        {OVERVIEW.emptyLead}
      </EmptyState>
    ) : (
      <SetupCard setup={setup} />
    )}
    <IssuesCard isNew />
  </div>
);

function Header({ hasStatistics }: { hasStatistics: boolean }) {
  const { days = DEFAULT_OVERVIEW_DAYS } = useSearch({ from: '/overview' });
  const navigate = useNavigate();
  const show = (text: string) =>
    void navigate({
      to: '/overview',
      search: { days: OVERVIEW_DAYS.find((one) => String(one) === text) ?? days },
      replace: true,
    });
  const actions = (
    <>
      <Segmented
        label={OVERVIEW.daysLabel}
        value={String(days)}
        onChange={show}
        options={OVERVIEW_DAYS.map((value) => ({ value: String(value), label: OVERVIEW.days[value] }))}
      />
      <AnchorButton
        kind="quiet"
        icon="download"
        href={`/console/export/intros.csv?days=${days}`}
        download
        title={OVERVIEW.exportHint}
      >
        {OVERVIEW.export}
      </AnchorButton>
    </>
  );
  return <PageHeader title={OVERVIEW.title} {...(hasStatistics && { actions })} />;
}

export function OverviewPage() {
  const setup = useSetup();
  return (
    <div className="overview">
      <Header hasStatistics={setup.data?.has_intro !== false} />
      <Loaded query={setup} skeleton={<Dashboard setup={undefined} />}>
        {(loaded) => (loaded.has_intro ? <Dashboard setup={loaded} /> : <FirstDay setup={loaded} />)}
      </Loaded>
    </div>
  );
}
