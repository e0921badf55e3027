import type { DryRun, DryRunProblem } from '@foreword/contract';
import { LinkButton } from '../../parts/button.tsx';
import { DefinitionList } from '../../parts/card.tsx';
import { Icon, type IconName } from '../../parts/icon.tsx';
import { Notice } from '../../parts/notice.tsx';
import { ADVICE, DRY_RUN } from '../../texts/dry-run.ts';
import { type StepResult, stepsOf } from './dry-run-steps.tsx';

const RESULTS: Record<
  StepResult['status'],
  { readonly icon: IconName; readonly label: string; readonly tone: string }
> = {
  passed: { icon: 'check', label: DRY_RUN.passed, tone: 'tone-good' },
  failed: { icon: 'close', label: DRY_RUN.failed, tone: 'tone-bad' },
  note: { icon: 'warn', label: DRY_RUN.noticed, tone: 'tone-warn' },
  skipped: { icon: 'minus', label: DRY_RUN.open, tone: 'step-open' },
};

/** Links to the page where the problem can be fixed. */
function FixLink({ problem, slug }: { problem: DryRunProblem; slug: string | null }) {
  const { reason } = problem;
  if (reason === 'unknown_slug') {
    return (
      <LinkButton to="/touchpoints" kind="quiet" small>
        {ADVICE.openTouchpoints}
      </LinkButton>
    );
  }
  if ((reason === 'turned_off' || reason === 'no_appointment' || reason === 'template') && slug !== null) {
    return (
      <LinkButton to="/touchpoints/$slug" params={{ slug }} kind="quiet" small>
        {ADVICE.openTouchpoint}
      </LinkButton>
    );
  }
  if (reason === 'not_found' || reason === 'deactivated' || reason === 'ambiguous') {
    return (
      <LinkButton to="/members" kind="quiet" small>
        {ADVICE.openMembers}
      </LinkButton>
    );
  }
  return null;
}

function Problem({ problem, slug }: { problem: DryRunProblem; slug: string | null }) {
  const [meant] = problem.suggestions;
  const advice = ADVICE[problem.reason];
  return (
    <>
      <DefinitionList
        items={[
          [problem.status === null ? DRY_RUN.eventMessage : DRY_RUN.apiMessage, problem.message],
          [DRY_RUN.code, <code key="code">{problem.code}</code>],
          [DRY_RUN.field, problem.field && <code key="field">{problem.field}</code>],
          [DRY_RUN.whatToDo, meant === undefined ? advice : `${ADVICE.meant(meant)} ${advice}`],
        ]}
      />
      <FixLink problem={problem} slug={slug} />
    </>
  );
}

function headline({ outcome, problem }: DryRun): string {
  if (outcome === 'creates_intro') return DRY_RUN.createsIntro;
  return outcome === 'fails_later' ? DRY_RUN.failsLater : DRY_RUN.refused(problem?.status ?? 422);
}

export function DryRunResult({ result }: { result: DryRun }) {
  const { problem, touchpoint } = result;
  // For a touchpoint that is off, only the message contains the slug, in quotes.
  const slug = touchpoint?.slug ?? /"([a-z0-9_]+)"/.exec(problem?.message ?? '')?.[1] ?? null;
  return (
    <section className="stack" aria-label={headline(result)}>
      <Notice tone={problem === null ? 'good' : 'bad'} title={headline(result)} />
      {problem !== null && <Problem problem={problem} slug={slug} />}
      <h2>{DRY_RUN.steps}</h2>
      <ol className="steps">
        {stepsOf(result).map(({ name, status, content, rule }) => {
          const { icon, label, tone } = RESULTS[status];
          return (
            <li key={name} className={`step ${tone}`}>
              <span className="step-mark">
                <Icon name={icon} />
                <span className="sr">{label}</span>
              </span>
              <div className="step-content">
                <h3>{name}</h3>
                {status === 'skipped' ? <p className="row-soft">{DRY_RUN.notReached}</p> : <div>{content}</div>}
                {status === 'failed' && rule !== undefined && <p className="row-soft">{rule}</p>}
              </div>
            </li>
          );
        })}
      </ol>
    </section>
  );
}
