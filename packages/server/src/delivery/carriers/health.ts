import type { CarrierState } from './carrier.ts';
import type { Carriers } from './index.ts';

type States = { readonly text: CarrierState; readonly email: CarrierState };

/** Each check costs a request to the carrier; a minute of staleness is fine. */
const CACHE_MS = 60_000;

/** State of the carriers for /readyz. It never makes the process unready. */
export interface CarrierWatch {
  /** Returns the last known states at once, and refreshes stale ones in the background. */
  states(): { readonly text: CarrierState['status'] | 'unknown'; readonly email: CarrierState['status'] | 'unknown' };
}

export function watchCarriers(carriers: Carriers, nowMs: () => number): CarrierWatch {
  let last: States | undefined;
  let checkedMs = Number.NEGATIVE_INFINITY;
  return {
    states() {
      if (nowMs() - checkedMs > CACHE_MS) {
        checkedMs = nowMs();
        carriers.check().then(
          (states) => {
            last = states;
          },
          () => {
            last = undefined;
          },
        );
      }
      return { text: last?.text.status ?? 'unknown', email: last?.email.status ?? 'unknown' };
    },
  };
}
