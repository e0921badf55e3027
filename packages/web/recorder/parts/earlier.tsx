import { isolated } from '@foreword/contract/plain';
import { EARLIER } from '#recorder-texts';
import { nowMs } from '../appointment.ts';
import type { RecordingFlow } from '../flow.ts';
import type { Model } from '../model.ts';
import { outcomeOf } from '../outcome.ts';
import type { Recorder } from '../recorder.ts';
import { percentSent } from './upload-bar.tsx';

interface Line {
  text: string;
  /** The member should look at it. */
  isBad: boolean;
}

function lineOf({ phase, upload, state }: Model): Line {
  switch (phase.at) {
    case 'sending':
      if (upload?.state === 'waiting_for_signal') return { text: EARLIER.waiting, isBad: true };
      return { text: EARLIER.uploading(upload === null ? 0 : percentSent(upload)), isBad: false };
    case 'done': {
      const { heading, tone } = outcomeOf(state, nowMs());
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
            <li key={flow.api} class={isBad ? 'bad' : undefined}>
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
  const last = recorder.view.earlier.findLast((flow) => flow.model.phase.at !== 'done' || lineOf(flow.model).isBad);
  if (last === undefined) return null;
  const { text, isBad } = lineOf(last.model);
  return (
    <p class={isBad ? 'chip warm' : 'chip'} role="status">
      {nameOf(last)}: {text}
    </p>
  );
}
