import type { ConsoleIntro, TimelineStep } from '@foreword/contract';
import { formatName, formatTime } from '../../format.ts';
import { groupByDay } from '../../group-by-day.ts';
import { Time, useFormatMoment, useNowMs } from '../../parts/time.tsx';
import { useSession } from '../../session.ts';
import { DECLINES } from '../../texts/declines.ts';
import { causeOf, holdReason, MESSAGE, stepName, TIMELINE } from '../../texts/intros.ts';
import { collapseSteps, findActor, findPerson } from './timeline-steps.ts';

const DAY_MS = 86_400_000;
const BAD: readonly TimelineStep['type'][] = [
  'member_not_told',
  'recording_refused',
  'declined',
  'not_sent',
  'undelivered',
  'answer_not_sent',
  'cancelled',
  'taken_down',
  'expired',
];

const percentOf = ({ detail }: TimelineStep): number => Number(detail?.percent ?? 0);

function nameOf(step: TimelineStep): string {
  const { type, detail } = step;
  if (type === 'watched') return TIMELINE.watched(percentOf(step));
  if (type === 'declined') return DECLINES.step(String(detail?.reason));
  // By the member whose intro it was.
  if (type === 'reassigned' && detail?.member !== undefined && detail.member === detail.from)
    return DECLINES.handedOver;
  return stepName(step);
}

function describeActor(step: TimelineStep, intro: ConsoleIntro): string {
  const actor = findActor(intro, step);
  if (actor !== undefined) return formatName(actor);
  return step.cause === 'member' ? TIMELINE.team : causeOf(step);
}

function describeStep({ type, detail }: TimelineStep, intro: ConsoleIntro, format: (at: string) => string): string[] {
  if (detail === null) return [];
  const { channel, carrier, label, message, reason, until, state, from, to } = detail;
  const personName = (id: string | number) => {
    const person = findPerson(intro, id);
    return person === undefined ? String(id) : formatName(person);
  };
  const parts = [
    channel === 'text' ? MESSAGE.byText : channel === 'email' ? MESSAGE.byEmail : undefined,
    carrier === 'simulated' ? MESSAGE.testNumber : undefined,
    // A reply to the text has no button.
    label === undefined || detail.reply === 'message' ? undefined : `“${label}”`,
    from === undefined || to === undefined ? undefined : `${personName(from)} → ${personName(to)}`,
    typeof reason === 'string' && type !== 'declined'
      ? holdReason(reason, typeof state === 'string' ? state : null)
      : undefined,
    typeof until === 'string' ? format(until) : undefined,
    typeof message === 'string' ? message : undefined,
  ];
  return parts.filter((part) => part !== undefined);
}

/** "Today" and "Yesterday" in the organization's time zone, otherwise the date. */
function DayName({ date, zone }: { date: string; zone: string }) {
  const now = useNowMs();
  const dateAt = (ms: number) => formatTime(new Date(ms).toISOString(), 'day', zone);
  if (date === dateAt(now)) return TIMELINE.today;
  return date === dateAt(now - DAY_MS) ? TIMELINE.yesterday : date;
}

function Step({ step, intro }: { step: TimelineStep; intro: ConsoleIntro }) {
  const { timezone } = useSession().organization;
  const format = useFormatMoment();
  return (
    <li className={BAD.includes(step.type) ? 'intro-step intro-step-bad' : 'intro-step'}>
      <span>{nameOf(step)}</span>
      <span className="intro-step-more">
        <Time at={step.at} style="timeZone" zone={timezone} />
        {[describeActor(step, intro), ...describeStep(step, intro, format)].map((part) => ` · ${part}`)}
      </span>
    </li>
  );
}

/** Each step with its time and who caused it, grouped by day. */
export function Timeline({ intro }: { intro: ConsoleIntro }) {
  const { timezone } = useSession().organization;
  return groupByDay(collapseSteps(intro.timeline), timezone).map(({ date, items: steps }) => (
    <section key={date} className="intro-day">
      <h3>
        <DayName date={date} zone={timezone} />
      </h3>
      <ol className="intro-steps">
        {steps.map((step, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: steps are only appended, and two steps of one type may share a time.
          <Step key={`${step.type} ${at}`} step={step} intro={intro} />
        ))}
      </ol>
    </section>
  ));
}
