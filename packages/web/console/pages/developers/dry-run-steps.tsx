import type { DryRun, DryRunDelivery, DryRunIntro, DryRunProblem, ZonedMoment } from '@foreword/contract';
import { SCRIPT_FIT_SECONDS } from '@foreword/contract/plain';
import type { ReactNode } from 'react';
import { formatName, formatTime } from '../../format.ts';
import { LANGUAGE_NAMES } from '../../texts/common.ts';
import { FOUND_BY, STEP } from '../../texts/dry-run.ts';

export interface StepResult {
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

/** Formats minutes since midnight as a time of day. */
const formatTimeOfDay = (minutes: number): string =>
  formatTime(new Date((minutes % 1440) * 60_000).toISOString(), 'time', 'UTC');

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
            {STEP.scriptSize(script.words, script.seconds)} {isLong && STEP.scriptLong(SCRIPT_FIT_SECONDS)}
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
        <blockquote className="bubble text-shown">{text.body}</blockquote>
        <p>
          {STEP.textSize(text.segments)} {text.problem !== null && STEP.textProblem(text.problem)}
        </p>
      </>
    ),
  };
}

const SKIPPED_STEPS = [STEP.page, STEP.ask, STEP.deadline, STEP.reminders, STEP.delivery];

/** All steps of a dry run, in the order in which they would happen. */
export function stepsOf(run: DryRun): readonly StepResult[] {
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
