import type { DryRun, DryRunDelivery, DryRunIntro, DryRunProblem, ZonedMoment } from '@foreword/contract';
import type { ReactNode } from 'react';
import { formatName, formatTime } from '../../format.ts';
import { FOUND_BY, STEP } from '../../texts/dry-run.ts';

export interface StepResult {
  readonly name: string;
  /** `open`: the event got no further before it. */
  readonly verdict: 'fine' | 'bad' | 'note' | 'open';
  readonly words?: ReactNode;
  /** What was asked of it. */
  readonly rule?: string;
}

const LONG_SECONDS = 15;
/** In the order in which they are asked. */
const ORDER = ['body', 'touchpoint', 'appointment', 'member', 'opt_out', 'script'] as const;

const when = ({ at, timezone }: ZonedMoment): string =>
  `${formatTime(at, 'dateTime', timezone)} (${timezone.replaceAll('_', ' ')})`;

/** Minutes of a day as a clock shows them. */
const clock = (minutes: number): string => formatTime(new Date((minutes % 1440) * 60_000).toISOString(), 'time', 'UTC');

type Verdict = StepResult['verdict'];

/** Of a step that an event may fail at: fine before the one it fails at, open behind it. */
function verdictAt(step: DryRunProblem['at'], { problem }: DryRun): Verdict {
  if (problem === null) return 'fine';
  if (problem.at === step) return 'bad';
  return ORDER.indexOf(step) < ORDER.indexOf(problem.at) ? 'fine' : 'open';
}

function matching(run: DryRun): StepResult[] {
  const { touchpoint, appointment, member, delivery, problem } = run;
  const step = (at: DryRunProblem['at'], name: string, fine: ReactNode, rule?: string): StepResult => {
    const verdict = verdictAt(at, run);
    const words = verdict === 'bad' ? problem?.message : verdict === 'fine' ? fine : undefined;
    return { name, verdict, ...(words !== undefined && { words }), ...(rule !== undefined && { rule }) };
  };
  const isToldOnly = delivery?.by === 'integration' && delivery.recipient_opted_out;
  const optOut = step('opt_out', STEP.optOut, isToldOnly ? STEP.optOutOwn : STEP.optOutNo, STEP.rule.optOut);
  const time = appointment === null ? STEP.appointmentNone : when(appointment);
  const appointmentWords = appointment?.is_past === true ? STEP.appointmentPast(time) : time;
  return [
    step('body', STEP.body, STEP.bodyFine),
    step(
      'touchpoint',
      STEP.touchpoint,
      touchpoint && STEP.touchpointFine(touchpoint.name, touchpoint.slug),
      STEP.rule.touchpoint,
    ),
    step('appointment', STEP.appointment, appointmentWords, STEP.rule.appointment),
    step(
      'member',
      STEP.member,
      member && STEP.memberFine(formatName(member), FOUND_BY[member.found_by]),
      STEP.rule.member,
    ),
    isToldOnly ? { ...optOut, verdict: 'note' } : optOut,
  ];
}

function deadlineWords({ deadline }: DryRunIntro, days: number): string {
  const time = when(deadline);
  if (deadline.rule === 'appointment') return STEP.deadlineAppointment(time);
  return deadline.rule === 'days' ? STEP.deadlineDays(time, days) : STEP.deadlineLate(time, days);
}

function reminderWords({ reminders }: DryRunIntro): string {
  if (reminders.rule === 'turned_off') return STEP.remindersOff;
  if (reminders.rule === 'no_time') return STEP.remindersNoTime;
  return reminders.at
    .map((one) => (one.purpose === 'halfway' ? STEP.reminderHalfway(when(one)) : STEP.reminderLast(when(one))))
    .join(' ');
}

function preparing(intro: DryRunIntro, days: number): StepResult[] {
  const { script, title, notification } = intro;
  const isLong = script.seconds > LONG_SECONDS;
  return [
    {
      name: STEP.script,
      verdict: isLong ? 'note' : 'fine',
      words: (
        <>
          <blockquote className="script-text">{script.text}</blockquote>
          <p>
            {STEP.scriptSize(script.words, script.seconds)} {isLong && STEP.scriptLong}
          </p>
        </>
      ),
    },
    { name: STEP.page, verdict: 'fine', words: title },
    {
      name: STEP.ask,
      verdict: notification.opted_out ? 'note' : 'fine',
      words: notification.opted_out
        ? `${STEP.askBy(notification.by)} ${STEP.askOptedOut}`
        : STEP.askBy(notification.by),
    },
    { name: STEP.deadline, verdict: 'fine', words: deadlineWords(intro, days) },
    { name: STEP.reminders, verdict: 'fine', words: reminderWords(intro) },
  ];
}

function deliveryWords({ outcome, hours }: Extract<DryRunDelivery, { by: 'service' }>): string {
  if (outcome.kind === 'now') return STEP.deliveryNow;
  if (outcome.kind === 'never') return STEP.deliveryNever(outcome.message);
  if (outcome.held_for === 'recent_text') return STEP.deliveryRecent(when(outcome));
  return STEP.deliveryQuiet(when(outcome), clock(hours.from), clock(hours.until));
}

function delivering(delivery: DryRunDelivery): StepResult {
  if (delivery.by === 'integration') return { name: STEP.delivery, verdict: 'fine', words: STEP.deliveryYours };
  const { text, outcome } = delivery;
  return {
    name: STEP.delivery,
    verdict: outcome.kind === 'never' ? 'bad' : outcome.kind === 'later' || text.problem !== null ? 'note' : 'fine',
    words: (
      <>
        <p>{deliveryWords(delivery)}</p>
        <blockquote className="bubble text-shown">{text.body}</blockquote>
        <p>
          {STEP.textSize(text.segments)} {text.problem !== null && STEP.textProblem(text.problem)}
        </p>
      </>
    ),
  };
}

const NOT_MADE = [STEP.page, STEP.ask, STEP.deadline, STEP.reminders, STEP.delivery];

/** What became of an event, in the order in which it happens. */
export function stepsOf(run: DryRun): readonly StepResult[] {
  const { intro, delivery, touchpoint, problem } = run;
  if (intro === null || delivery === null) {
    const script: StepResult = {
      name: STEP.script,
      verdict: verdictAt('script', run),
      ...(problem?.at === 'script' && { words: problem.message }),
    };
    return [...matching(run), script, ...NOT_MADE.map((name) => ({ name, verdict: 'open' as const }))];
  }
  return [...matching(run), ...preparing(intro, touchpoint?.days_to_record ?? 0), delivering(delivery)];
}
