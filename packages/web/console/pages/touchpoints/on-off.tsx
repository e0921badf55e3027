import type { TouchpointSummary } from '@foreword/contract';
import { useState } from 'react';
import { call } from '../../api.ts';
import { Confirm } from '../../parts/dialog.tsx';
import { useAction } from '../../queries.ts';
import { useTouchpointCache } from './queries.ts';
import { TOUCHPOINTS } from './texts.ts';

type Switched = Pick<TouchpointSummary, 'slug' | 'name' | 'active' | 'open_intros' | 'waiting_events'>;

interface OnOff {
  /** The switch turns on at once, but off only when the server confirms it. */
  readonly shown: boolean;
  readonly ask: (active: boolean) => void;
  readonly isConfirming: boolean;
  readonly setConfirming: (isConfirming: boolean) => void;
  readonly turnOff: () => void;
  readonly busy: boolean;
  readonly error: unknown;
}

/** Saves immediately. Turning off asks for confirmation first. */
export function useOnOff({ slug, name, active }: Switched): OnOff {
  const cache = useTouchpointCache();
  const [isConfirming, setConfirming] = useState(false);
  const action = useAction({
    run: (next: boolean) => call('POST /touchpoints/{slug}/active', { params: { slug }, body: { active: next } }),
    done: (detail) => (detail.active ? TOUCHPOINTS.turnedOn(name) : TOUCHPOINTS.turnedOff(name)),
    onDone(detail) {
      setConfirming(false);
      cache.setDetail(detail);
    },
    topics: ['touchpoints'],
  });
  return {
    shown: active || (action.isPending && action.variables),
    ask(next) {
      action.reset();
      if (next) action.mutate(true);
      else setConfirming(true);
    },
    isConfirming,
    setConfirming,
    turnOff: () => action.mutate(false),
    busy: action.isPending,
    error: action.error,
  };
}

export function ConfirmOff({ touchpoint, onOff }: { touchpoint: Switched; onOff: OnOff }) {
  const { name, slug, open_intros: intros, waiting_events: events } = touchpoint;
  const pending = TOUCHPOINTS.offPending(events);
  return (
    <Confirm
      open={onOff.isConfirming}
      onOpenChange={onOff.setConfirming}
      title={TOUCHPOINTS.offTitle(name)}
      action={TOUCHPOINTS.offAction}
      run={{ isPending: onOff.busy, error: onOff.error, mutate: onOff.turnOff }}
    >
      <div className="grid gap-12">
        <p>{TOUCHPOINTS.offEvents(slug)}</p>
        {pending !== null && <p>{pending}</p>}
        <p>{TOUCHPOINTS.offIntros(intros)}</p>
      </div>
    </Confirm>
  );
}
