import type { TouchpointDetail, TouchpointSummary } from '@foreword/contract';
import { useState } from 'react';
import { useAction } from '../../actions.ts';
import { call } from '../../api.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { TOUCHPOINTS } from '../../texts/touchpoints.ts';
import { useKnown } from './queries.ts';

type Switched = Pick<TouchpointSummary, 'slug' | 'name' | 'active' | 'open_intros' | 'waiting_events'>;

export interface OnOff {
  /** What the switch shows: on as soon as it is turned on, off only when the server has said so. */
  readonly shown: boolean;
  readonly ask: (active: boolean) => void;
  readonly asking: boolean;
  readonly setAsking: (asking: boolean) => void;
  readonly turnOff: () => void;
  readonly busy: boolean;
  readonly error: unknown;
}

/** Takes effect at once. Turning off asks first, and says what it means. */
export function useOnOff({ slug, name, active }: Switched, onDone?: (detail: TouchpointDetail) => void): OnOff {
  const known = useKnown();
  const [asking, setAsking] = useState(false);
  const action = useAction({
    run: (next: boolean) => call('POST /touchpoints/:slug/active', { params: { slug }, body: { active: next } }),
    done: (detail) => (detail.active ? TOUCHPOINTS.turnedOn(name) : TOUCHPOINTS.turnedOff(name)),
    onDone(detail) {
      setAsking(false);
      known.keep(detail);
      onDone?.(detail);
    },
    topics: ['touchpoints'],
  });
  return {
    shown: active || (action.isPending && action.variables),
    ask(next) {
      action.reset();
      if (next) action.mutate(true);
      else setAsking(true);
    },
    asking,
    setAsking,
    turnOff: () => action.mutate(false),
    busy: action.isPending,
    error: action.error,
  };
}

export function ConfirmOff({ touchpoint, onOff }: { touchpoint: Switched; onOff: OnOff }) {
  const { name, slug, open_intros: intros, waiting_events: events } = touchpoint;
  const waiting = TOUCHPOINTS.offWaiting(events);
  return (
    <Confirm
      open={onOff.asking}
      onOpenChange={onOff.setAsking}
      title={TOUCHPOINTS.offTitle(name)}
      action={TOUCHPOINTS.offAction}
      busy={onOff.busy}
      error={onOff.error}
      onConfirm={onOff.turnOff}
    >
      <div className="stack-small">
        <p>{TOUCHPOINTS.offEvents(slug)}</p>
        {waiting !== null && <p>{waiting}</p>}
        <p>{TOUCHPOINTS.offIntros(intros)}</p>
      </div>
    </Confirm>
  );
}
