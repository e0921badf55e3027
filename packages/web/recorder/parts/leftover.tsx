import type { Model } from '../model.ts';
import type { Session } from '../session.ts';
import { LEFTOVER } from '../texts.ts';
import { Icon } from './icons.tsx';

/** A take that this device has and the server does not: of an earlier visit, or one that could not be sent. */
export function Leftover({ session, model: { state, leftover, durable } }: { session: Session; model: Model }) {
  if (leftover === null || state.intro.status === 'sent') return null;
  return (
    <section class="leftover" aria-labelledby="leftover">
      <h2 id="leftover">{LEFTOVER.heading}</h2>
      <p>{durable ? LEFTOVER.kept : LEFTOVER.notKept}</p>
      <div class="pair">
        <button type="button" class="button quiet" onClick={() => void session.watchLeftover()}>
          <Icon name="play" />
          {LEFTOVER.watch}
        </button>
        <button type="button" class="button" onClick={() => void session.send()}>
          {LEFTOVER.send}
        </button>
      </div>
    </section>
  );
}
