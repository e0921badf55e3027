import { LEFTOVER } from '#recorder-texts';
import type { RecordingFlow } from '../flow.ts';
import type { Model } from '../model.ts';
import { Icon } from './icons.tsx';

/** A take that is only on this device: from an earlier visit, or one that could not be sent. */
export function Leftover({ flow, model: { state, leftover, durable } }: { flow: RecordingFlow; model: Model }) {
  if (leftover === null || state.intro.status === 'sent') return null;
  return (
    <section class="leftover" aria-labelledby="leftover">
      <h2 id="leftover">{LEFTOVER.heading}</h2>
      <p>{durable ? LEFTOVER.kept : LEFTOVER.notKept}</p>
      <div class="pair">
        <button type="button" class="button quiet" onClick={() => void flow.watchLeftover()}>
          <Icon name="play" />
          {LEFTOVER.watch}
        </button>
        <button type="button" class="button" onClick={() => void flow.send()}>
          {LEFTOVER.send}
        </button>
      </div>
    </section>
  );
}
