import type { ConsoleIntro, TimelineStep } from '@foreword/contract';
import { formatName } from '../../format.ts';
import { causeOf, heldFor, MESSAGE, STEP_NAMES } from '../../texts/intros.ts';
import { Moment, useFormatMoment } from './moment.tsx';

const BAD: readonly TimelineStep['type'][] = [
  'member_not_told',
  'recording_refused',
  'not_sent',
  'undelivered',
  'cancelled',
  'expired',
];

/** What more there is to say of a step, in the words of a person. */
function moreOf({ detail }: TimelineStep, intro: ConsoleIntro, format: (at: string) => string): string | null {
  if (detail === null) return null;
  const { channel, percent, message, reason, until, from, to } = detail;
  const people = [intro.member, ...intro.reassignments.flatMap((one) => [one.from, one.to])];
  const nameOf = (id: string | number | undefined) => {
    const person = people.find((one) => one.id === id);
    return person === undefined ? undefined : formatName(person);
  };
  const parts = [
    channel === 'text' ? MESSAGE.byText : channel === 'email' ? MESSAGE.byEmail : undefined,
    percent === undefined ? undefined : `${percent}%`,
    from === undefined || to === undefined ? undefined : `${nameOf(from) ?? from} → ${nameOf(to) ?? to}`,
    typeof reason === 'string' ? heldFor(reason) : undefined,
    typeof until === 'string' ? format(until) : undefined,
    message,
  ];
  const said = parts.filter((part) => part !== undefined);
  return said.length === 0 ? null : said.join(' · ');
}

export function Timeline({ intro }: { intro: ConsoleIntro }) {
  const format = useFormatMoment();
  return (
    <ol className="intro-steps">
      {intro.timeline.map((step, at) => {
        const more = moreOf(step, intro, format);
        const name = BAD.includes(step.type) ? 'intro-step intro-step-bad' : 'intro-step';
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: steps are only ever added, and two of a kind may share a moment.
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
