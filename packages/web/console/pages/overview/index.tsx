/** The overview: figures, charts, setup and problems. */

import type { SetupChecklist } from '@foreword/contract';
import { DEFAULT_OVERVIEW_DAYS, OVERVIEW_DAYS } from '@foreword/contract/plain';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { call } from '../../api.ts';
import { AnchorButton } from '../../parts/button.tsx';
import { Segmented } from '../../parts/choices.tsx';
import { EmptyState, Loaded } from '../../parts/loaded.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { OVERVIEW } from '../../texts/overview.ts';
import { PausedTexts } from '../text-limits/paused.tsx';
import { DeclinedCard } from './declined.tsx';
import { Figures } from './figures.tsx';
import { IssuesCard } from './issues.tsx';
import { RepliesCard } from './replies.tsx';
import { Results, ResultsSkeleton } from './results.tsx';
import { isSetUp, SetupCard, useSetup } from './setup.tsx';
import { UnsentCard } from './unsent.tsx';
import { useWaiting, WaitingCard, WaitingPlaceholder } from './waiting.tsx';

/** Everything loads at once. Each part has its place before its data arrives, or follows those that may still grow. */
function Dashboard({ setup }: { setup: SetupChecklist | undefined }) {
  const { days = DEFAULT_OVERVIEW_DAYS } = useSearch({ from: '/overview' });
  const waiting = useWaiting();
  const overview = useQuery({
    queryKey: ['overview', days],
    queryFn: ({ signal }) => call('GET /overview', { query: { days } }, signal),
    placeholderData: (before) => before,
  });
  return (
    <>
      <PausedTexts />
      <Figures waiting={waiting.data} overview={overview} days={days} />
      <div className="overview-columns">
        <div className="overview-column">
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
        <div className="overview-column">
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
