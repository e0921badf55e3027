import type { TouchpointSummary } from '@foreword/contract';
import { useState } from 'react';
import { call } from '../../api.ts';
import { Ask } from '../../parts/actions.tsx';
import { useAction } from '../../queries.ts';
import { useSetTouchpoint } from './queries.ts';
import { TOUCHPOINTS } from './texts.ts';

type Switched = Pick<TouchpointSummary, 'slug' | 'name' | 'active' | 'open_intros' | 'waiting_events'>;

/** Saves immediately. Turning off asks for confirmation first, in a dialog that the caller renders. */
export function useOnOff({ slug, name, active, open_intros: intros, waiting_events: events }: Switched) {
  const setTouchpoint = useSetTouchpoint();
  const [isConfirming, setConfirming] = useState(false);
  const change = (next: boolean) => call('POST /touchpoints/{slug}', { params: { slug }, body: { active: next } });
  const turnOn = useAction({
    run: () => change(true),
    done: `${name} is on.`,
    onDone: setTouchpoint,
    topics: ['touchpoints'],
  });
  const pending = TOUCHPOINTS.offPending(events);
  return {
    /** The switch turns on at once, but off only when the server confirms it. */
    shown: active || turnOn.isPending,
    busy: turnOn.isPending,
    ask: (next: boolean) => (next ? turnOn.mutate() : setConfirming(true)),
    dialog: isConfirming && (
      <Ask
        title={`Turn off “${name}”?`}
        action="Turn off"
        run={() => change(false)}
        topics={['touchpoints']}
        done={`${name} is off.`}
        onDone={setTouchpoint}
        onClose={() => setConfirming(false)}
      >
        <div className="grid gap-12">
          <p>{TOUCHPOINTS.offEvents(slug)}</p>
          {pending !== null && <p>{pending}</p>}
          <p>{TOUCHPOINTS.offIntros(intros)}</p>
        </div>
      </Ask>
    ),
  };
}
