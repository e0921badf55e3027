import type { RecorderState } from '@foreword/contract';
import { isolated } from '@foreword/contract/plain';
import { CAMERA, DONE, EARLIER, NEXT, UPLOAD } from '#recorder-texts';
import { sayHowSoon } from '../appointment.ts';
import { wallClockMs } from '../engine/clock.ts';
import type { RecordingFlow } from '../flow.ts';
import { fullNameOf, type Model } from '../model.ts';
import { outcomeOf } from '../outcome.ts';
import type { Recorder } from '../recorder.ts';
import { Button } from './button.tsx';
import { percentSent } from './upload.tsx';

interface Line {
  text: string;
  /** The member should look at it. */
  isBad: boolean;
}

function lineOf({ phase, upload, state }: Model): Line {
  switch (phase.at) {
    case 'sending':
      if (upload?.state === 'waiting_for_signal') {
        return { text: navigator.onLine ? EARLIER.waitingForServer : EARLIER.waiting, isBad: true };
      }
      return { text: UPLOAD.percent(upload === null ? 0 : percentSent(upload)), isBad: false };
    case 'done': {
      if (phase.isLate) return { text: DONE.late(state.intro.recipient.first_name), isBad: true };
      const { heading, tone } = outcomeOf(state, wallClockMs());
      return { text: heading, isBad: tone === 'bad' };
    }
    case 'refused':
      return { text: EARLIER.failed, isBad: true };
    case 'closed':
      return { text: EARLIER.closed, isBad: false };
    default:
      return { text: EARLIER.processing, isBad: false };
  }
}

const nameOf = ({ model }: RecordingFlow): string => isolated(model.state.intro.recipient.first_name);

/** The progress and the results of the takes that were sent before this one. */
export function EarlierTakes({ recorder }: { recorder: Recorder }) {
  const { earlier } = recorder.view;
  if (earlier.length === 0) return null;
  return (
    <section class="earlier" aria-label={EARLIER.region}>
      <ul>
        {earlier.map((flow) => {
          const { text, isBad } = lineOf(flow.model);
          return (
            <li key={flow.api} class={isBad ? 'row bad' : 'row'}>
              <span role="status">
                <strong>{nameOf(flow)}</strong> {text}
              </span>
              {recorder.mayChange && (
                <button type="button" aria-label={EARLIER.openFor(nameOf(flow))} onClick={() => recorder.show(flow)}>
                  {EARLIER.open}
                </button>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** One line for the camera view, which has no space for more. */
export function EarlierChip({ recorder }: { recorder: Recorder }) {
  const last = recorder.view.earlier
    .filter((flow) => flow.model.phase.at !== 'done' || lineOf(flow.model).isBad)
    .at(-1);
  if (last === undefined) return null;
  const { text, isBad } = lineOf(last.model);
  return (
    <p class={isBad ? 'chip warm' : 'chip'} role="status">
      {nameOf(last)}: {text}
    </p>
  );
}

/** "First visit · due tomorrow · 3 left" */
function describe({ intro, organization }: RecorderState, left: string): string {
  const { appointment, expires_at: dueAt, touchpoint, title } = intro;
  const zone = appointment?.timezone ?? organization.timezone;
  const due = dueAt === null ? null : NEXT.due(sayHowSoon(dueAt, zone));
  return [touchpoint ?? title, due, left].filter((part) => part !== null).join(' · ');
}

/** Leads on to the member's next intro, without leaving the page. Shows nothing for a link to a single intro. */
export function NextIntro({ recorder }: { recorder: Recorder }) {
  if (recorder.view.next === null) return null;
  const { next, left, has_more: hasMore, home } = recorder.view.next;
  return (
    <section class="card" aria-labelledby="next">
      <h2 id="next">{next === null ? NEXT.none : NEXT.heading(fullNameOf(next.state.intro.recipient))}</h2>
      <p>{next === null ? NEXT.noneLead : describe(next.state, NEXT.left(left, hasMore))}</p>
      <div class="pair">
        {home !== null && (
          <a class="button quiet" href={home}>
            {NEXT.home}
          </a>
        )}
        {next !== null && <Button icon="camera" label={CAMERA.record} onClick={() => void recorder.recordNext()} />}
      </div>
    </section>
  );
}
