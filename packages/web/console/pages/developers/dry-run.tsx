import type { DryRun, DryRunDelivery, DryRunIntro, DryRunProblem, ZonedMoment } from '@foreword/contract';
import { isCutOff, SCRIPT_FIT_SECONDS, TAKE_MAX_SECONDS } from '@foreword/contract/plain';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { ApiFailure, call, fieldProblem } from '../../api.ts';
import { formatCount, formatName, formatNumber, formatTime, formatTimeOfDay } from '../../format.ts';
import { Button, LinkButton } from '../../parts/button.tsx';
import { DefinitionList, Icon, type IconName, Notice, PageHeader } from '../../parts/display.tsx';
import { Field, FormProblem, TextArea } from '../../parts/form.tsx';
import { EmptyState } from '../../parts/states.tsx';
import { useAction } from '../../queries.ts';
import { LANGUAGE_NAMES, NAV } from '../../texts.ts';
import { recordingTime } from '../touchpoints/texts.ts';
import { LoadedSample } from './choose-sample.tsx';
import { eventOf, type Sample } from './snippets.ts';

const STEP = {
  appointmentPast: (time: string) =>
    `${time}. It is in the past: late reports are accepted, but not texted automatically.`,
  optOutOwn: 'The recipient has opted out. You send the link yourself: don’t send it by text.',
  script: 'Script',
  scriptMissing: (wanted: string, used: string) =>
    `This touchpoint has no script in ${wanted}, so the member reads it in ${used}. The page and the text are in ${wanted}.`,
  askBy: (by: readonly ('text' | 'email')[]) =>
    `Sent immediately by ${by.map((channel) => (channel === 'text' ? 'text message' : 'email')).join(' and ')}.`,
  deadlineTouchpoint: (time: string, minutes: number) => `${time}. The touchpoint allows ${recordingTime(minutes)}.`,
  deadlineLate: (time: string, minutes: number) =>
    `${time}. The appointment is in the past, so the touchpoint’s ${recordingTime(minutes)} apply.`,
  delivery: 'Delivery',
  deliveryNow: 'Foreword texts the recipient. If the video were ready now, the text would be sent immediately.',
  deliveryHours: (from: string, until: string, timezone: string) =>
    `texts are sent only from ${from} to ${until} (${timezone}).`,
  deliveryState: (state: string, from: string, until: string, timezone: string) =>
    `that day, ${state} allows texts from ${from} to ${until} (${timezone}). The number has an area code of ${state}.`,
  textProblem: (problem: string) =>
    `The touchpoint’s custom text can’t be used (${problem}), so the default text is sent.`,
} as const;

const FOUND_BY = { id: 'id', external_id: 'external id', email: 'email' } as const;

const ADVICE = {
  malformed: 'Fix the field in the system that sends the event. You can resend it with the same Idempotency-Key.',
  unknown_slug: 'Send one of your own slugs. The touchpoints page and GET /v1/touchpoints list them.',
  turned_off: 'The touchpoint is off. Turn it on, or stop sending events for it.',
  no_appointment: 'Send context.appointment with starts_at and timezone, or change this touchpoint’s type to “Other”.',
  not_found: 'Add the member, or save the ID that your system uses as their external ID.',
  deactivated: 'The member is deactivated. Reactivate them, or send the event for another member.',
  ambiguous: 'Send member.id or member.external_id, or change one of the matching members’ email addresses.',
  opted_out: 'The recipient opted out of texts. Contact them another way. They can opt back in by texting START.',
  template: 'Fix the touchpoint’s script or page title. The message says which line.',
  meant: (slug: string) => `Did you mean “${slug}”?`,
  openTouchpoints: 'Open touchpoints',
  openMembers: 'Open members',
} as const;

interface StepResult {
  readonly name: string;
  readonly status: 'passed' | 'failed' | 'note';
  readonly content?: ReactNode;
}

const formatMoment = ({ at, timezone }: ZonedMoment): string => formatTime(at, 'dateTime', timezone);

interface Check extends StepResult {
  readonly at: DryRunProblem['at'];
}

/** The checks of the event, in the order in which the server runs them. */
function checksOf({ touchpoint, appointment, member, delivery }: DryRun): readonly Check[] {
  const hasOptedOut = delivery?.by === 'integration' && delivery.recipient_opted_out;
  const time = appointment === null ? 'None sent. This touchpoint doesn’t need one.' : formatMoment(appointment);
  return [
    { at: 'body', name: 'Event format', status: 'passed', content: 'All fields are known and valid.' },
    {
      ...{ at: 'touchpoint', name: 'Touchpoint', status: 'passed' },
      content: touchpoint && `“${touchpoint.name}” (${touchpoint.slug}) is on.`,
    },
    {
      ...{ at: 'appointment', name: 'Appointment', status: 'passed' },
      content: appointment?.is_past === true ? STEP.appointmentPast(time) : time,
    },
    {
      ...{ at: 'member', name: 'Member', status: 'passed' },
      content: member && `${formatName(member)}, found by ${FOUND_BY[member.found_by]}.`,
    },
    {
      ...{ at: 'opt_out', name: 'Recipient opt-out', status: hasOptedOut ? 'note' : 'passed' },
      content: hasOptedOut ? STEP.optOutOwn : 'The recipient has not opted out.',
    },
  ];
}

function describeDeadline({ deadline }: DryRunIntro, minutes: number): string {
  const time = formatMoment(deadline);
  if (deadline.rule === 'appointment') return `${time}, when the appointment starts.`;
  return deadline.rule === 'touchpoint' ? STEP.deadlineTouchpoint(time, minutes) : STEP.deadlineLate(time, minutes);
}

function describeReminders({ reminders }: DryRunIntro): string {
  if (reminders.rule === 'turned_off') return 'None: reminders are turned off for this touchpoint.';
  if (reminders.rule === 'no_time') return 'None: the deadline is too close for a daytime reminder.';
  return reminders.at
    .map((one) =>
      one.purpose === 'halfway'
        ? `Halfway: ${formatMoment(one)}.`
        : `One hour before the appointment: ${formatMoment(one)}.`,
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
            {formatCount(script.words, 'word')}, about {formatNumber(script.seconds)} seconds.{' '}
            {isCutOff(script.seconds)
              ? `The recorder stops after ${TAKE_MAX_SECONDS} seconds, so the script will be cut off.`
              : isLong && `Longer than ${SCRIPT_FIT_SECONDS} seconds, so fewer people watch to the end.`}
          </p>
          {!isTranslated && (
            <p>{STEP.scriptMissing(LANGUAGE_NAMES[recipient_language], LANGUAGE_NAMES[script_language])}</p>
          )}
        </>
      ),
    },
    { name: 'Page', status: 'passed', content: title },
    {
      name: 'Member notification',
      status: notification.opted_out ? 'note' : 'passed',
      content: notification.opted_out
        ? `${STEP.askBy(notification.by)} The member’s number has opted out of texts.`
        : STEP.askBy(notification.by),
    },
    { name: 'Recording deadline', status: 'passed', content: describeDeadline(intro, minutes) },
    { name: 'Reminders', status: 'passed', content: describeReminders(intro) },
  ];
}

function describeDelivery({ outcome, hours }: Extract<DryRunDelivery, { by: 'service' }>): string {
  if (outcome.kind === 'now') return STEP.deliveryNow;
  if (outcome.kind === 'never') return `If the video were ready now, no text would be sent. ${outcome.message}`;
  if (outcome.held_for === 'recent_text')
    return `Foreword texts the recipient. If the video were ready now, the text would wait until ${formatMoment(outcome)}, because this number got a text for this touchpoint in the last 24 hours.`;
  const { from, until, state, timezone } = hours;
  const span = [formatTimeOfDay(from), formatTimeOfDay(until)] as const;
  const reason = state === null ? STEP.deliveryHours(...span, timezone) : STEP.deliveryState(state, ...span, timezone);
  return `Foreword texts the recipient. If the video were ready now, the text would wait until ${formatMoment(outcome)}: ${reason}`;
}

function deliveryStep(delivery: DryRunDelivery): StepResult {
  if (delivery.by === 'integration')
    return { name: STEP.delivery, status: 'passed', content: 'Your system sends the link once the intro is “ready”.' };
  const { text, outcome } = delivery;
  return {
    name: STEP.delivery,
    status: outcome.kind === 'never' ? 'failed' : outcome.kind === 'later' || text.problem !== null ? 'note' : 'passed',
    content: (
      <>
        <p>{describeDelivery(delivery)}</p>
        <blockquote className="bubble">{text.body}</blockquote>
        <p>
          {formatCount(text.segments, 'segment')} {text.problem !== null && STEP.textProblem(text.problem)}
        </p>
      </>
    ),
  };
}

/** The steps of a dry run, in the order in which they would happen, up to the one that fails. */
function stepsOf(run: DryRun): readonly StepResult[] {
  const { intro, delivery, touchpoint, problem } = run;
  const checks = checksOf(run);
  if (intro !== null && delivery !== null) {
    return [...checks, ...introSteps(intro, touchpoint?.minutes_to_record ?? 0), deliveryStep(delivery)];
  }
  const failed = checks.findIndex(({ at }) => at === problem?.at);
  const passed = failed < 0 ? checks : checks.slice(0, failed);
  return [...passed, { name: checks[failed]?.name ?? STEP.script, status: 'failed' }];
}

const RESULTS: Record<
  StepResult['status'],
  { readonly icon: IconName; readonly label: string; readonly tone: string }
> = {
  passed: { icon: 'check', label: 'Passed', tone: 'tone-good' },
  failed: { icon: 'close', label: 'Failed', tone: 'tone-bad' },
  note: { icon: 'warn', label: 'Note', tone: 'tone-warn' },
};

const TOUCHPOINTS = { to: '/touchpoints', label: ADVICE.openTouchpoints } as const;
const MEMBERS = { to: '/members', label: ADVICE.openMembers } as const;

/** The page where the problem can be fixed. */
const FIXES: Partial<Record<DryRunProblem['reason'], typeof TOUCHPOINTS | typeof MEMBERS>> = {
  unknown_slug: TOUCHPOINTS,
  turned_off: TOUCHPOINTS,
  no_appointment: TOUCHPOINTS,
  template: TOUCHPOINTS,
  not_found: MEMBERS,
  deactivated: MEMBERS,
  ambiguous: MEMBERS,
};

function Problem({ problem }: { problem: DryRunProblem }) {
  const [meant] = problem.suggestions;
  const advice = ADVICE[problem.reason];
  const fix = FIXES[problem.reason];
  return (
    <>
      <DefinitionList
        items={[
          ['Code', <code key="code">{problem.code}</code>],
          ['Field', problem.field && <code key="field">{problem.field}</code>],
          ['What to do', meant === undefined ? advice : `${ADVICE.meant(meant)} ${advice}`],
        ]}
      />
      {fix !== undefined && <LinkButton {...fix} kind="quiet" small />}
    </>
  );
}

function headline({ outcome, problem }: DryRun): string {
  if (outcome === 'creates_intro') return 'This event creates an intro';
  return outcome === 'fails_later'
    ? 'The API accepts this event with 202, but processing fails'
    : `The API rejects this event with ${problem?.status ?? 422}`;
}

function DryRunResult({ result }: { result: DryRun }) {
  const { problem } = result;
  return (
    <section className="stack" aria-label={headline(result)}>
      <Notice tone={problem === null ? 'good' : 'bad'} title={headline(result)}>
        {problem?.message}
      </Notice>
      {problem !== null && <Problem problem={problem} />}
      <h2>Step by step</h2>
      <ol className="list">
        {stepsOf(result).map(({ name, status, content }) => {
          const { icon, label, tone } = RESULTS[status];
          return (
            <li key={name} className={`list-row entry step ${tone}`}>
              <span className="step-mark">
                <Icon name={icon} />
                <span className="sr">{label}</span>
              </span>
              <div className="grid gap-4">
                <h3>{name}</h3>
                <div>{content}</div>
              </div>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

function readEvent(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiFailure({
      status: 422,
      code: 'validation_failed',
      message: 'This isn’t valid JSON. Check for a missing quote, comma, or bracket.',
      field: 'event',
    });
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
        <EmptyState title="No result yet">Choose or edit an event and run it.</EmptyState>
      ) : (
        <DryRunResult result={result} />
      )}
    </div>
  );
}

function DryRunForm({ sample }: { sample: Sample }) {
  const [text, setText] = useState(() => JSON.stringify(eventOf(sample), null, 2));
  const [result, setResult] = useState<DryRun | null>(null);
  const run = useAction({
    run: async () => call('POST /dry-run', { body: { event: readEvent(text) } }),
    showsFailure: true,
    onDone: setResult,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!run.isPending) run.mutate();
  };
  return (
    <div className="grid gap-20 dry-run">
      <form className="stack" onSubmit={submit}>
        <Field
          label="Request body"
          hint="As your system sends it to POST /v1/touchpoint-events."
          error={fieldProblem(run.error, 'event')}
        >
          <TextArea className="code-input" rows={16} spellCheck={false} value={text} onChange={setText} />
        </Field>
        <FormProblem error={run.error} fields={['event']} />
        <Button type="submit" icon="play" busy={run.isPending} label="Run" />
      </form>
      <Outcome result={run.error === null ? result : null} />
    </div>
  );
}

export const DryRunPage = () => (
  <>
    <PageHeader title={NAV.dryRun} lead="See what an event would do. Nothing is created or sent." />
    <LoadedSample>
      {(sample, choice) => (
        <>
          {choice}
          <DryRunForm key={`${sample.touchpoint.slug} ${sample.member.id}`} sample={sample} />
        </>
      )}
    </LoadedSample>
  </>
);
