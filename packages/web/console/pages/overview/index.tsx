import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { call } from '../../api.ts';
import { Segmented } from '../../parts/choices.tsx';
import { AnchorButton } from '../../parts/link-button.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { OVERVIEW } from '../../texts/overview.ts';
import { ConcernsCard } from './concerns.tsx';
import { FirstStepsCard } from './first-steps.tsx';
import { Outcomes } from './outcomes.tsx';
import { OVERVIEW_DAYS, USUAL_DAYS } from './span.ts';
import { WaitingCard } from './waiting.tsx';

/** What changes with each intro stands under their topic, so that it is read again when one does. */
const useFirstSteps = () =>
  useQuery({
    queryKey: ['intros', 'first-steps'],
    queryFn: ({ signal }) => call('GET /overview/first-steps', undefined, signal),
  });

function Figures() {
  const { days = USUAL_DAYS } = useSearch({ from: '/overview' });
  const query = useQuery({
    queryKey: ['overview', days],
    queryFn: ({ signal }) => call('GET /overview', { query: { days } }, signal),
    placeholderData: (before) => before,
  });
  return (
    <>
      <WaitingCard />
      <Loaded query={query}>{(overview) => <Outcomes overview={overview} isOld={query.isPlaceholderData} />}</Loaded>
    </>
  );
}

function Header({ hasFigures }: { hasFigures: boolean }) {
  const { days = USUAL_DAYS } = useSearch({ from: '/overview' });
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
        label={OVERVIEW.span}
        value={String(days)}
        onChange={show}
        options={OVERVIEW_DAYS.map((span) => ({ value: String(span), label: OVERVIEW.days[span] }))}
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
  return <PageHeader title={OVERVIEW.title} {...(hasFigures && { actions })} />;
}

export function OverviewPage() {
  const steps = useFirstSteps();
  const isNew = steps.data !== undefined && !steps.data.has_intro;
  return (
    <div className="overview">
      <Header hasFigures={steps.data?.has_intro === true} />
      <Loaded query={steps}>
        {(loaded) => (
          <>
            {isNew && <FirstStepsCard steps={loaded} />}
            <ConcernsCard isNew={isNew} />
            {!isNew && <Figures />}
          </>
        )}
      </Loaded>
    </div>
  );
}
