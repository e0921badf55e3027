import type { RecorderState } from '@foreword/contract';
import { isolated } from '@foreword/contract/plain';
import { NEXT } from '#recorder-texts';
import { sayHowSoon } from '../appointment.ts';
import type { Recorder } from '../recorder.ts';
import { Icon } from './icons.tsx';

const nameOf = ({ first_name, last_name }: RecorderState['intro']['recipient']): string =>
  isolated(last_name === null ? first_name : `${first_name} ${last_name}`);

/** "First visit · due tomorrow · 3 left" */
function describe({ intro, organization }: RecorderState, left: string): string {
  const { appointment, expires_at: dueAt, touchpoint, title } = intro;
  const zone = appointment?.timezone ?? organization.timezone;
  const due = dueAt === null ? null : NEXT.due(sayHowSoon(dueAt, zone));
  return [touchpoint ?? title, due, left].filter((part) => part !== null).join(' · ');
}

/** Leads on to the member's next intro, without leaving the page. Shows nothing for a link to a single intro. */
export function NextIntro({ recorder }: { recorder: Recorder }) {
  const { next: answer } = recorder.view;
  if (answer === null || answer.home === null) return null;
  const { next, left, has_more: hasMore, home } = answer;
  return (
    <section class="next" aria-labelledby="next">
      <h2 id="next">{next === null ? NEXT.none : NEXT.heading(nameOf(next.state.intro.recipient))}</h2>
      <p>{next === null ? NEXT.noneLead : describe(next.state, NEXT.left(left, hasMore))}</p>
      <div class="pair">
        <a class="button quiet" href={home}>
          {NEXT.home}
        </a>
        {next !== null && (
          <button type="button" class="button" onClick={() => void recorder.recordNext()}>
            <Icon name="camera" />
            {NEXT.record}
          </button>
        )}
      </div>
    </section>
  );
}
