import type { OverviewSteps } from '@foreword/contract';
import { Link } from '@tanstack/react-router';
import { Card } from '../../parts/card.tsx';
import { Icon } from '../../parts/icon.tsx';
import { OVERVIEW } from '../../texts/overview.ts';

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
export const SetupChecklist = ({ steps }: { steps: OverviewSteps }) => (
  <Card title={OVERVIEW.stepsTitle} lead={OVERVIEW.stepsLead}>
    <ol className="checklist">
      <Step
        number={1}
        done={steps.has_members}
        title={OVERVIEW.stepMembers}
        lead={OVERVIEW.stepMembersLead}
        to="/members"
        action={OVERVIEW.stepMembersAction}
      />
      <Step
        number={2}
        done={steps.has_event}
        title={OVERVIEW.stepEvent}
        lead={OVERVIEW.stepEventLead}
        to="/developers"
        action={OVERVIEW.stepEventAction}
      />
      <Step
        number={3}
        done={steps.has_intro}
        title={OVERVIEW.stepIntro}
        lead={OVERVIEW.stepIntroLead}
        to="/intros"
        action={OVERVIEW.stepIntroAction}
      />
    </ol>
  </Card>
);
