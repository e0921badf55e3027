import type { OverviewSteps } from '@foreword/contract';
import { OVERVIEW_DAYS } from '@foreword/contract/plain';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { call } from '../../api.ts';
import { AnchorButton } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Segmented } from '../../parts/choices.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { OVERVIEW } from '../../texts/overview.ts';
import { PausedTexts } from '../text-limits/paused.tsx';
import { IssuesCard } from './issues.tsx';
import { Results } from './results.tsx';
import { WaitingCard } from './waiting.tsx';

interface StepProps {
  number: number;
  done: boolean;
  title: string;
  lead: string;
  to: '/members' | '/developers' | '/intros';
  action: string;
}

const Step = ({ number, done, title, lead, to, action }: StepProps) => (
  <li className={done ? 'checklist-item checklist-item-done' : 'checklist-item'}>
    <span className="checklist-item-mark">
      {done ? <Icon name="check" /> : <span aria-hidden="true">{number}</span>}
      <span className="sr">{done ? OVERVIEW.stepDone : OVERVIEW.stepOpen}</span>
    </span>
    <div className="checklist-item-text">
      <h3>{title}</h3>
      <p>{lead}</p>
    </div>
    <Link to={to} className={`button ${done ? 'plain' : 'quiet'}`}>
      {action}
    </Link>
  </li>
);

/** Shown instead of the results until the first intro exists. */
const SetupChecklist = ({ steps }: { steps: OverviewSteps }) => (
  <Card title={OVERVIEW.stepsTitle} lead={OVERVIEW.stepsLead}>
    <ol className="checklist">
      <Step number={1} done={steps.has_members} to="/members" {...OVERVIEW.stepMembers} />
      <Step number={2} done={steps.has_event} to="/developers" {...OVERVIEW.stepEvent} />
      <Step number={3} done={steps.has_intro} to="/intros" {...OVERVIEW.stepIntro} />
    </ol>
  </Card>
);

const DEFAULT_DAYS = 30;

/** The key starts with the topic `intros`, so that every intro change refreshes it. */
const useSetupSteps = () =>
  useQuery({
    queryKey: ['intros', 'first-steps'],
    queryFn: ({ signal }) => call('GET /overview/first-steps', undefined, signal),
  });

function Statistics() {
  const { days = DEFAULT_DAYS } = useSearch({ from: '/overview' });
  const query = useQuery({
    queryKey: ['overview', days],
    queryFn: ({ signal }) => call('GET /overview', { query: { days } }, signal),
    placeholderData: (before) => before,
  });
  return (
    <>
      <WaitingCard />
      <Loaded query={query}>{(overview) => <Results overview={overview} isOld={query.isPlaceholderData} />}</Loaded>
    </>
  );
}

function Header({ hasStatistics }: { hasStatistics: boolean }) {
  const { days = DEFAULT_DAYS } = useSearch({ from: '/overview' });
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
  const steps = useSetupSteps();
  const isNew = steps.data !== undefined && !steps.data.has_intro;
  return (
    <div className="overview">
      <Header hasStatistics={steps.data?.has_intro === true} />
      <Loaded query={steps}>
        {(loaded) => (
          <>
            <PausedTexts />
            {isNew && <SetupChecklist steps={loaded} />}
            <IssuesCard isNew={isNew} />
            {!isNew && <Statistics />}
          </>
        )}
      </Loaded>
    </div>
  );
}
