import type { DryRun, DryRunProblem } from '@foreword/contract';
import { DefinitionList } from '../../parts/definition-list.tsx';
import { Icon, type IconName } from '../../parts/icon.tsx';
import { LinkButton } from '../../parts/link-button.tsx';
import { Notice } from '../../parts/notice.tsx';
import { ADVICE, DRY_RUN } from '../../texts/dry-run.ts';
import { type StepResult, stepsOf } from './dry-run-steps.tsx';

const LOOKS: Record<StepResult['verdict'], { readonly icon: IconName; readonly says: string; readonly tone: string }> =
  {
    fine: { icon: 'check', says: DRY_RUN.passed, tone: 'tone-good' },
    bad: { icon: 'close', says: DRY_RUN.failed, tone: 'tone-bad' },
    note: { icon: 'warn', says: DRY_RUN.noticed, tone: 'tone-warn' },
    open: { icon: 'minus', says: DRY_RUN.open, tone: 'step-open' },
  };

/** A button to where it can be mended. */
function Mend({ problem, slug }: { problem: DryRunProblem; slug: string | null }) {
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
          [problem.status === null ? DRY_RUN.eventSays : DRY_RUN.message, problem.message],
          [DRY_RUN.code, <code key="code">{problem.code}</code>],
          [DRY_RUN.field, problem.field && <code key="field">{problem.field}</code>],
          [DRY_RUN.whatToDo, meant === undefined ? advice : `${ADVICE.meant(meant)} ${advice}`],
        ]}
      />
      <Mend problem={problem} slug={slug} />
    </>
  );
}

function headline({ outcome, problem }: DryRun): string {
  if (outcome === 'creates_intro') return DRY_RUN.makes;
  return outcome === 'fails_later' ? DRY_RUN.fails : DRY_RUN.refused(problem?.status ?? 422);
}

export function DryRunResult({ result }: { result: DryRun }) {
  const { problem, touchpoint } = result;
  // Of one that is turned off only the message names the slug, and there it stands in quotes.
  const slug = touchpoint?.slug ?? /"([a-z0-9_]+)"/.exec(problem?.message ?? '')?.[1] ?? null;
  return (
    <section className="stack" aria-label={headline(result)}>
      <Notice tone={problem === null ? 'good' : 'bad'} title={headline(result)} />
      {problem !== null && <Problem problem={problem} slug={slug} />}
      <h2>{DRY_RUN.steps}</h2>
      <ol className="steps">
        {stepsOf(result).map(({ name, verdict, words, rule }) => {
          const { icon, says, tone } = LOOKS[verdict];
          return (
            <li key={name} className={`step ${tone}`}>
              <span className="step-mark">
                <Icon name={icon} />
                <span className="sr">{says}</span>
              </span>
              <div className="step-words">
                <h3>{name}</h3>
                {verdict === 'open' ? <p className="row-soft">{DRY_RUN.notReached}</p> : <div>{words}</div>}
                {verdict === 'bad' && rule !== undefined && <p className="row-soft">{rule}</p>}
              </div>
            </li>
          );
        })}
      </ol>
    </section>
  );
}
