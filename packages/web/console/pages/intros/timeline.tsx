import type { ConsoleIntro, TimelineStep } from '@foreword/contract';
import { formatName } from '../../format.ts';
import { Moment, useFormatMoment } from '../../parts/time.tsx';
import { causeOf, holdReason, MESSAGE, STEP_NAMES } from '../../texts/intros.ts';

const BAD: readonly TimelineStep['type'][] = [
  'member_not_told',
  'recording_refused',
  'not_sent',
  'undelivered',
  'cancelled',
  'expired',
];

function describeStep({ detail }: TimelineStep, intro: ConsoleIntro, format: (at: string) => string): string | null {
  if (detail === null) return null;
  const { channel, percent, message, reason, until, from, to } = detail;
  const members = [intro.member, ...intro.reassignments.flatMap((one) => [one.from, one.to])];
  const nameOf = (id: string | number | undefined) => {
    const member = members.find((one) => one.id === id);
    return member === undefined ? undefined : formatName(member);
  };
  const parts = [
    channel === 'text' ? MESSAGE.byText : channel === 'email' ? MESSAGE.byEmail : undefined,
    percent === undefined ? undefined : `${percent}%`,
    from === undefined || to === undefined ? undefined : `${nameOf(from) ?? from} → ${nameOf(to) ?? to}`,
    typeof reason === 'string' ? holdReason(reason) : undefined,
    typeof until === 'string' ? format(until) : undefined,
    message,
  ];
  const known = parts.filter((part) => part !== undefined);
  return known.length === 0 ? null : known.join(' · ');
}

export function Timeline({ intro }: { intro: ConsoleIntro }) {
  const format = useFormatMoment();
  return (
    <ol className="intro-steps">
      {intro.timeline.map((step, at) => {
        const more = describeStep(step, intro, format);
        const name = BAD.includes(step.type) ? 'intro-step intro-step-bad' : 'intro-step';
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: steps are only appended, and two steps of one type may share a time.
          <li key={`${step.type} ${at}`} className={name}>
            <span>{STEP_NAMES[step.type]}</span>
            <span className="intro-step-more">
              <Moment at={step.at} /> · {causeOf(step)}
              {more !== null && ` · ${more}`}
            </span>
          </li>
        );
      })}
    </ol>
  );
}
