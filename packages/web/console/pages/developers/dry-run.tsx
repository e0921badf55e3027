import type {
  DryRun,
  DryRunDelivery,
  DryRunIntro,
  DryRunProblem,
  TouchpointSummary,
  ZonedMoment,
} from '@foreword/contract';
import { isCutOff, LANES, type Language, SCRIPT_FIT_SECONDS, TAKE_MAX_SECONDS, TRADES } from '@foreword/contract/plain';
import type { LinkProps } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { call } from '../../api.ts';
import { formatName, formatTime, formatTimeOfDay } from '../../format.ts';
import { Button, LinkButton } from '../../parts/button.tsx';
import { DefinitionList, Icon, type IconName, Notice, PageHeader } from '../../parts/display.tsx';
import { Field, type FieldInfo, Fields, FormProblem, Segmented, TextArea } from '../../parts/form.tsx';
import { EmptyState } from '../../parts/states.tsx';
import { useNowMs } from '../../parts/time.tsx';
import { useAction } from '../../queries.ts';
import { useSession } from '../../session.ts';
import { LANGUAGE_NAMES, LANGUAGE_OPTIONS, NAV } from '../../texts.ts';
import type { Person } from '../intros/choose-member.tsx';
import { ChooseSample, LoadedSamples, type Samples } from './choose-sample.tsx';
import { ADVICE, DRY_RUN, FOUND_BY, STEP } from './dry-run-texts.ts';
import { appointmentAhead, referTo } from './snippets.ts';

interface StepResult {
  readonly name: string;
  /** `skipped`: an earlier step failed. */
  readonly status: 'passed' | 'failed' | 'note' | 'skipped';
  readonly content?: ReactNode;
  /** The requirement that the event must meet. */
  readonly rule?: string;
}

/** The checks in the order in which the server runs them. */
const ORDER = ['body', 'touchpoint', 'appointment', 'member', 'opt_out', 'script'] as const;

const formatMoment = ({ at, timezone }: ZonedMoment): string => formatTime(at, 'dateTime', timezone);

/** A check passes if it runs before the failed one, and is skipped if it would run after it. */
function statusAt(step: DryRunProblem['at'], { problem }: DryRun): StepResult['status'] {
  if (problem === null) return 'passed';
  if (problem.at === step) return 'failed';
  return ORDER.indexOf(step) < ORDER.indexOf(problem.at) ? 'passed' : 'skipped';
}

function checkSteps(run: DryRun): StepResult[] {
  const { touchpoint, appointment, member, delivery, problem } = run;
  const step = (at: DryRunProblem['at'], name: string, fine: ReactNode, rule?: string): StepResult => {
    const status = statusAt(at, run);
    const content = status === 'failed' ? problem?.message : status === 'passed' ? fine : undefined;
    return { name, status, ...(content !== undefined && { content }), ...(rule !== undefined && { rule }) };
  };
  const hasOptedOut = delivery?.by === 'integration' && delivery.recipient_opted_out;
  const optOut = step('opt_out', STEP.optOut, hasOptedOut ? STEP.optOutOwn : STEP.optOutNo, STEP.rule.optOut);
  const time = appointment === null ? STEP.appointmentNone : formatMoment(appointment);
  const appointmentContent = appointment?.is_past === true ? STEP.appointmentPast(time) : time;
  return [
    step('body', STEP.body, STEP.bodyFine),
    step(
      'touchpoint',
      STEP.touchpoint,
      touchpoint && STEP.touchpointFine(touchpoint.name, touchpoint.slug),
      STEP.rule.touchpoint,
    ),
    step('appointment', STEP.appointment, appointmentContent, STEP.rule.appointment),
    step(
      'member',
      STEP.member,
      member && STEP.memberFine(formatName(member), FOUND_BY[member.found_by]),
      STEP.rule.member,
    ),
    hasOptedOut ? { ...optOut, status: 'note' } : optOut,
  ];
}

function describeDeadline({ deadline }: DryRunIntro, minutes: number): string {
  const time = formatMoment(deadline);
  if (deadline.rule === 'appointment') return STEP.deadlineAppointment(time);
  return deadline.rule === 'touchpoint' ? STEP.deadlineTouchpoint(time, minutes) : STEP.deadlineLate(time, minutes);
}

function describeReminders({ reminders }: DryRunIntro): string {
  if (reminders.rule === 'turned_off') return STEP.remindersOff;
  if (reminders.rule === 'no_time') return STEP.remindersNoTime;
  return reminders.at
    .map((one) =>
      one.purpose === 'halfway' ? STEP.reminderHalfway(formatMoment(one)) : STEP.reminderLast(formatMoment(one)),
    )
    .join(' ');
}

function introSteps(intro: DryRunIntro, minutes: number): StepResult[] {
  const { script, title, notification, recipient_language, script_language } = intro;
  const isLong = script.seconds > SCRIPT_FIT_SECONDS;
  const isTranslated = script_language === recipient_language;
  return [
    {
      name: STEP.script,
      status: isLong || !isTranslated ? 'note' : 'passed',
      content: (
        <>
          <blockquote className="script-text" lang={script_language}>
            {script.text}
          </blockquote>
          <p>
            {STEP.scriptSize(script.words, script.seconds)}{' '}
            {isCutOff(script.seconds)
              ? STEP.scriptCutOff(TAKE_MAX_SECONDS)
              : isLong && STEP.scriptLong(SCRIPT_FIT_SECONDS)}
          </p>
          {!isTranslated && (
            <p>{STEP.scriptMissing(LANGUAGE_NAMES[recipient_language], LANGUAGE_NAMES[script_language])}</p>
          )}
        </>
      ),
    },
    { name: STEP.page, status: 'passed', content: title },
    {
      name: STEP.ask,
      status: notification.opted_out ? 'note' : 'passed',
      content: notification.opted_out
        ? `${STEP.askBy(notification.by)} ${STEP.askOptedOut}`
        : STEP.askBy(notification.by),
    },
    { name: STEP.deadline, status: 'passed', content: describeDeadline(intro, minutes) },
    { name: STEP.reminders, status: 'passed', content: describeReminders(intro) },
  ];
}

function describeDelivery({ outcome, hours }: Extract<DryRunDelivery, { by: 'service' }>): string {
  if (outcome.kind === 'now') return STEP.deliveryNow;
  if (outcome.kind === 'never') return STEP.deliveryNever(outcome.message);
  if (outcome.held_for === 'recent_text') return STEP.deliveryRecent(formatMoment(outcome));
  const { from, until, state, timezone } = hours;
  const span = [formatTimeOfDay(from), formatTimeOfDay(until)] as const;
  const reason = state === null ? STEP.deliveryHours(...span, timezone) : STEP.deliveryState(state, ...span, timezone);
  return STEP.deliveryQuiet(formatMoment(outcome), reason);
}

function deliveryStep(delivery: DryRunDelivery): StepResult {
  if (delivery.by === 'integration') return { name: STEP.delivery, status: 'passed', content: STEP.deliveryYours };
  const { text, outcome } = delivery;
  return {
    name: STEP.delivery,
    status: outcome.kind === 'never' ? 'failed' : outcome.kind === 'later' || text.problem !== null ? 'note' : 'passed',
    content: (
      <>
        <p>{describeDelivery(delivery)}</p>
        <blockquote className="bubble">{text.body}</blockquote>
        <p>
          {STEP.textSize(text.segments)} {text.problem !== null && STEP.textProblem(text.problem)}
        </p>
      </>
    ),
  };
}

const SKIPPED_STEPS = [STEP.page, STEP.ask, STEP.deadline, STEP.reminders, STEP.delivery];

/** All steps of a dry run, in the order in which they would happen. */
function stepsOf(run: DryRun): readonly StepResult[] {
  const { intro, delivery, touchpoint, problem } = run;
  if (intro === null || delivery === null) {
    const script: StepResult = {
      name: STEP.script,
      status: statusAt('script', run),
      ...(problem?.at === 'script' && { content: problem.message }),
    };
    return [...checkSteps(run), script, ...SKIPPED_STEPS.map((name) => ({ name, status: 'skipped' as const }))];
  }
  return [...checkSteps(run), ...introSteps(intro, touchpoint?.minutes_to_record ?? 0), deliveryStep(delivery)];
}

const RESULTS: Record<
  StepResult['status'],
  { readonly icon: IconName; readonly label: string; readonly tone: string }
> = {
  passed: { icon: 'check', label: DRY_RUN.passed, tone: 'tone-good' },
  failed: { icon: 'close', label: DRY_RUN.failed, tone: 'tone-bad' },
  note: { icon: 'warn', label: DRY_RUN.noticed, tone: 'tone-warn' },
  skipped: { icon: 'minus', label: DRY_RUN.open, tone: 'step-open' },
};

/** The page where the problem can be fixed. */
function fixOf({ reason }: DryRunProblem, slug: string | null): { label: string; link: LinkProps } | null {
  switch (reason) {
    case 'unknown_slug':
      return { label: ADVICE.openTouchpoints, link: { to: '/touchpoints' } };
    case 'turned_off':
    case 'no_appointment':
    case 'template':
      return slug === null
        ? null
        : { label: ADVICE.openTouchpoint, link: { to: '/touchpoints/$slug', params: { slug } } };
    case 'not_found':
    case 'deactivated':
    case 'ambiguous':
      return { label: ADVICE.openMembers, link: { to: '/members' } };
    default:
      return null;
  }
}

function Problem({ problem, slug }: { problem: DryRunProblem; slug: string | null }) {
  const [meant] = problem.suggestions;
  const advice = ADVICE[problem.reason];
  const fix = fixOf(problem, slug);
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
      {fix !== null && <LinkButton {...fix.link} kind="quiet" small label={fix.label} />}
    </>
  );
}

function headline({ outcome, problem }: DryRun): string {
  if (outcome === 'creates_intro') return DRY_RUN.createsIntro;
  return outcome === 'fails_later' ? DRY_RUN.failsLater : DRY_RUN.refused(problem?.status ?? 422);
}

function DryRunResult({ result }: { result: DryRun }) {
  const { problem, touchpoint } = result;
  // For a touchpoint that is off, only the message contains the slug, in quotes.
  const slug = touchpoint?.slug ?? /"([a-z0-9_]+)"/.exec(problem?.message ?? '')?.[1] ?? null;
  return (
    <section className="stack" aria-label={headline(result)}>
      <Notice tone={problem === null ? 'good' : 'bad'} title={headline(result)} />
      {problem !== null && <Problem problem={problem} slug={slug} />}
      <h2>{DRY_RUN.steps}</h2>
      <ol className="list">
        {stepsOf(result).map(({ name, status, content, rule }) => {
          const { icon, label, tone } = RESULTS[status];
          return (
            <li key={name} className={`list-row entry step ${tone}`}>
              <span className="step-mark">
                <Icon name={icon} />
                <span className="sr">{label}</span>
              </span>
              <div className="grid gap-4">
                <h3>{name}</h3>
                {status === 'skipped' ? <p className="hint">{DRY_RUN.notReached}</p> : <div>{content}</div>}
                {status === 'failed' && rule !== undefined && <p className="hint">{rule}</p>}
              </div>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

/** The form's fields. Null: not sent. */
interface EventDraft {
  readonly touchpoint: TouchpointSummary | null;
  readonly member: Person | null;
  readonly firstName: string;
  readonly lastName: string | null;
  readonly phone: string;
  readonly language: Language | null;
  /** The value of a `datetime-local` input. */
  readonly starts: string | null;
  readonly trade: string | null;
  readonly lane: string | null;
}

/** The request body. Empty fields are left out, so that the dry run reports missing required fields. */
function eventFrom(draft: EventDraft, timezone: string, nowMs: number): object {
  const { touchpoint, member, firstName, lastName, phone, language, starts, trade, lane } = draft;
  const context = {
    ...(starts && { appointment: { starts_at: `${starts}:00`, timezone } }),
    ...(trade !== null && { trade }),
    ...(lane !== null && { lane }),
  };
  return {
    ...(touchpoint !== null && { touchpoint: touchpoint.slug }),
    occurred_at: new Date(nowMs).toISOString(),
    ...(member !== null && { member: referTo(member) }),
    recipient: {
      ...(firstName !== '' && { first_name: firstName }),
      ...(lastName !== null && { last_name: lastName }),
      ...(phone !== '' && { phone }),
      ...(language !== null && { language }),
    },
    ...(Object.keys(context).length > 0 && { context }),
  };
}

type InputMode = 'build' | 'paste';
const INPUT_MODES = [
  { value: 'build', label: DRY_RUN.build },
  { value: 'paste', label: DRY_RUN.paste },
] as const;
const choice = (name: 'trade' | 'lane', values: readonly string[]): FieldInfo<EventDraft> => ({
  ...{ name, label: DRY_RUN[name], kind: 'select', optional: true, isHalf: true },
  options: [{ value: '', label: DRY_RUN.none }, ...values.map((value) => ({ value, label: value }))],
});

const FIELDS: readonly FieldInfo<EventDraft>[] = [
  { name: 'firstName', label: DRY_RUN.firstName, isHalf: true },
  { name: 'lastName', label: DRY_RUN.lastName, optional: true, isHalf: true },
  { name: 'phone', label: DRY_RUN.phone, kind: 'phone', isHalf: true },
  {
    ...{ name: 'language', label: DRY_RUN.language, kind: 'select', optional: true, isHalf: true },
    options: LANGUAGE_OPTIONS,
  },
];
const OF_REMODELING = [choice('trade', TRADES), choice('lane', LANES)];

interface BuildProps {
  touchpoints: Samples['touchpoints'];
  draft: EventDraft;
  onChange: (draft: EventDraft) => void;
}

function BuildEvent({ touchpoints, draft, onChange }: BuildProps) {
  const { industry, timezone } = useSession().organization;
  const change = (part: Partial<EventDraft>) => onChange({ ...draft, ...part });
  return (
    <>
      <ChooseSample
        touchpoints={touchpoints}
        touchpoint={draft.touchpoint}
        member={draft.member}
        onTouchpoint={(touchpoint) => change({ touchpoint })}
        onMember={(member) => change({ member })}
      />
      <Fields
        list={[
          ...FIELDS,
          {
            ...{ name: 'starts', label: DRY_RUN.starts, hint: DRY_RUN.startsHint(timezone), kind: 'time' },
            optional: draft.touchpoint?.context !== 'appointment',
          },
          ...(industry === 'exterior_remodeling' ? OF_REMODELING : []),
        ]}
        values={draft}
        error={null}
        onChange={change}
      />
    </>
  );
}

function parse(text: string): { readonly event: unknown } | null {
  try {
    return { event: JSON.parse(text) as unknown };
  } catch {
    return null;
  }
}

function Outcome({ result }: { result: DryRun | null }) {
  const container = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const box = container.current?.getBoundingClientRect();
    // On a phone, the result appears below the form, out of view.
    if (result !== null && box !== undefined && box.top > window.innerHeight / 2) container.current?.scrollIntoView();
  }, [result]);
  return (
    <div ref={container} className="outcome" aria-live="polite">
      {result === null ? (
        <EmptyState title={DRY_RUN.waiting}>{DRY_RUN.waitingLead}</EmptyState>
      ) : (
        <DryRunResult result={result} />
      )}
    </div>
  );
}

const firstDraft = ({ touchpoints, members }: Samples, nowMs: number): EventDraft => ({
  ...{ firstName: 'Dana', lastName: null, phone: '+14155550123', language: null, trade: null, lane: null },
  touchpoint: touchpoints.find(({ active }) => active) ?? null,
  member: members[0] ?? null,
  starts: appointmentAhead(nowMs),
});

function DryRunForm(samples: Samples) {
  const { timezone } = useSession().organization;
  const nowMs = useNowMs();
  const [mode, setMode] = useState<InputMode>('build');
  const [draft, setDraft] = useState(() => firstDraft(samples, nowMs));
  const [text, setText] = useState('');
  const [isInvalidJson, setInvalidJson] = useState(false);
  const [result, setResult] = useState<DryRun | null>(null);
  const run = useAction({
    run: (event: unknown) => call('POST /dry-run', { body: { event } }),
    showsFailure: true,
    onDone: setResult,
  });
  const choose = (next: InputMode) => {
    if (next === 'paste' && text === '') setText(JSON.stringify(eventFrom(draft, timezone, nowMs), null, 2));
    setMode(next);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (run.isPending) return;
    const sent = mode === 'build' ? { event: eventFrom(draft, timezone, nowMs) } : parse(text);
    setInvalidJson(sent === null);
    if (sent !== null) run.mutate(sent.event);
  };
  return (
    <div className="grid gap-20 dry-run">
      <form className="stack" onSubmit={submit}>
        <Segmented label={DRY_RUN.input} value={mode} options={INPUT_MODES} onChange={choose} />
        {mode === 'build' ? (
          <BuildEvent touchpoints={samples.touchpoints} draft={draft} onChange={setDraft} />
        ) : (
          <Field label={DRY_RUN.json} hint={DRY_RUN.jsonHint} error={isInvalidJson ? DRY_RUN.notJson : undefined}>
            <TextArea className="code-input" rows={16} spellCheck={false} value={text} onChange={setText} />
          </Field>
        )}
        <FormProblem error={run.error} fields={[]} />
        <div className="form-actions">
          <Button type="submit" icon="play" busy={run.isPending} label={DRY_RUN.run} />
        </div>
      </form>
      <Outcome result={result} />
    </div>
  );
}

export function DryRunPage() {
  return (
    <>
      <PageHeader title={NAV.dryRun} lead={DRY_RUN.lead} />
      <LoadedSamples>{(samples) => <DryRunForm {...samples} />}</LoadedSamples>
    </>
  );
}
